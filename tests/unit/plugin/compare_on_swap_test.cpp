#include "plugin/compare.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace compare_on_swap_test {

namespace {

using namespace ptp::plugin;

Setting setting(SettingType type, const char* name) {
    Setting made;
    made.type = type;
    made.name = name;
    return made;
}

Port port(Direction direction, const char* name, const char* shape) {
    Port made;
    made.direction = direction;
    made.name = name;
    made.shape = shape;
    return made;
}

Port optional_input(const char* name) {
    Port made = port(Direction::kInput, name, "B");
    made.is_optional = true;
    return made;
}

Global global(GlobalAccess access, const char* name) {
    Global made;
    made.access = access;
    made.name = name;
    return made;
}

Statistic statistic(const char* name) {
    Statistic made;
    made.name = name;
    return made;
}

// A component with something of everything.
Component running() {
    Component net;
    net.kind = Kind::kModel;
    net.name = "Net";
    net.summary = "A net";

    Setting rate = setting(SettingType::kReal, "rate");
    rate.default_value = "0.5";
    rate.range = "[0, 1]";
    Setting sizes = setting(SettingType::kInteger, "sizes");
    sizes.list_depth = 1;
    sizes.range = "[1, 100]";
    sizes.length = "[1, 3]";
    Setting cell = setting(SettingType::kEnumeration, "cell");
    cell.choices = {"LSTM", "GRU"};
    Setting classes = setting(SettingType::kInteger, "classes");
    classes.is_required = true;
    Setting optimizer = setting(SettingType::kTable, "optimizer");
    Setting momentum = setting(SettingType::kReal, "momentum");
    momentum.range = "[0, 1)";
    optimizer.members = {momentum};
    net.settings = {rate, sizes, cell, classes, optimizer};

    net.ports = {port(Direction::kInput, "inputs", "B,2"), optional_input("mask"),
                 port(Direction::kOutput, "outputs", "B,3")};
    net.globals = {global(GlobalAccess::kRead, "size")};
    net.statistics = {statistic("norm"), statistic("count")};
    net.statistics[0].weight = "count";
    net.statistics[1].is_hidden = true;
    return net;
}

// A line for each remark on a training that runs with the older component.
std::string remarks(const Component& older, const Component& newer) {
    std::string text;
    for (const Compared& one : compare_components(older, newer)) {
        for (const SwapRemark& remark : one.on_swap) {
            text += text.empty() ? "" : "\n";
            text += (remark.is_refusal ? "breaking: " : "") + remark.text;
        }
    }
    return text;
}

std::string after(const std::function<void(Component&)>& change) {
    Component offered = running();
    change(offered);
    return remarks(running(), offered);
}

struct Case {
    std::function<void(Component&)> change;
    const char* text;
};

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(after(c.change) == c.text);
    }
}

}  // namespace

TEST_CASE("compare on a swap: texts for people and the order of settings do not count") {
    CHECK(after([](Component& c) {
              c.summary = "Another";
              c.description = "Long";
              c.settings[0].help = "Help";
              c.settings[4].members[0].help = "Help";
              c.ports[0].help = "Help";
              c.globals[0].help = "Help";
              c.statistics[0].help = "Help";
              std::swap(c.settings[0], c.settings[1]);
          }) == "");
    CHECK(after([](Component& c) {
              std::swap(c.settings[2].choices[0], c.settings[2].choices[1]);
          }) == "");
    CHECK(remarks(running(), running()) == "");
}

TEST_CASE("compare on a swap: settings that come and go") {
    check({
        {[](Component& c) { c.settings.erase(c.settings.begin()); }, "setting 'rate': is gone"},
        {[](Component& c) { c.settings.push_back(setting(SettingType::kReal, "decay")); },
         "setting 'decay': is new; it stays without a value"},
        {[](Component& c) {
             c.settings.push_back(setting(SettingType::kReal, "decay"));
             c.settings.back().default_value = "0.1";
         },
         "setting 'decay': is new; it takes its default, 0.1"},
        {[](Component& c) {
             c.settings.push_back(setting(SettingType::kReal, "decay"));
             c.settings.back().is_required = true;
         },
         "setting 'decay': is new and required"},
        {[](Component& c) { c.settings[1].is_required = true; },
         "setting 'sizes': is now required"},
        {[](Component& c) { c.settings[3].is_required = false; },
         "setting 'classes': is no longer required"},
        {[](Component& c) {
             c.settings[4].members[0].name = "beta";
             c.settings[4].members.push_back(setting(SettingType::kBoolean, "nesterov"));
         },
         "setting 'optimizer.momentum': is gone\n"
         "setting 'optimizer.beta': is new; it stays without a value\n"
         "setting 'optimizer.nesterov': is new; it stays without a value"},
    });
}

TEST_CASE("compare on a swap: defaults that change, which the running component is spared") {
    check({
        {[](Component& c) { c.settings[0].default_value = "0.25"; },
         "setting 'rate': default was 0.5, is 0.25; the running component keeps its value"},
        {[](Component& c) { c.settings[0].default_value.reset(); },
         "setting 'rate': default was 0.5, is none; the running component keeps its value"},
        {[](Component& c) { c.settings[2].default_value = "\"GRU\""; },
         "setting 'cell': default was none, is \"GRU\"; the running component keeps its value"},
    });
}

TEST_CASE("compare on a swap: ranges are compared as intervals") {
    const auto rate = [](const char* range) {
        return [=](Component& c) { c.settings[0].range = range; };
    };
    const auto sizes = [](const char* range) {
        return [=](Component& c) { c.settings[1].range = range; };
    };
    check({
        {rate("[0,1]"), ""},
        {rate("[0, 0.5]"), "setting 'rate': range was [0, 1], is [0, 0.5]"},
        {rate("[0, 1)"), "setting 'rate': range was [0, 1], is [0, 1)"},
        {rate("(0, 1]"), "setting 'rate': range was [0, 1], is (0, 1]"},
        {rate("[0.5, 2]"), "setting 'rate': range was [0, 1], is [0.5, 2]"},
        {rate("[2, 3]"), "setting 'rate': range was [0, 1], is [2, 3]"},
        {rate("[0, 2)"), "setting 'rate': range was [0, 1], is [0, 2)"},
        {rate("(-1, inf)"), "setting 'rate': range was [0, 1], is (-1, inf)"},
        {rate(""), "setting 'rate': range was [0, 1], is none"},
        {rate("any"), "setting 'rate': range was [0, 1], is any"},
        {sizes("(0, 101)"), ""},
        {sizes("[0.5, 100.5]"), ""},
        {sizes("(1, 100]"), "setting 'sizes': range was [1, 100], is (1, 100]"},
        {sizes("[0, inf)"), "setting 'sizes': range was [1, 100], is [0, inf)"},
        {[](Component& c) { c.settings[3].range = "(-inf, inf)"; }, ""},
        {[](Component& c) { c.settings[3].range = "[0, inf)"; },
         "setting 'classes': range was none, is [0, inf)"},
        {[](Component& c) { c.settings[4].members[0].range = "[0, 0.9]"; },
         "setting 'optimizer.momentum': range was [0, 1), is [0, 0.9]"},
        {[](Component& c) { c.settings[1].length = "[1, 2]"; },
         "setting 'sizes': length was [1, 3], is [1, 2]"},
        {[](Component& c) { c.settings[1].length = "[0, 3]"; },
         "setting 'sizes': length was [1, 3], is [0, 3]"},
        {[](Component& c) { c.settings[1].length = "(0, 3]"; }, ""},
    });
}

TEST_CASE("compare on a swap: choices, types and forms are noted") {
    check({
        {[](Component& c) { c.settings[2].choices = {"LSTM"}; },
         "setting 'cell': choices were LSTM | GRU, are LSTM"},
        {[](Component& c) { c.settings[2].choices.push_back("RNN"); },
         "setting 'cell': choices were LSTM | GRU, are LSTM | GRU | RNN"},
        {[](Component& c) {
             c.settings[2].choices = {"LSTM", "gru"};
         },
         "setting 'cell': choices were LSTM | GRU, are LSTM | gru"},
        {[](Component& c) { c.settings[3].type = SettingType::kReal; },
         "setting 'classes': type was integer, is real"},
        {[](Component& c) { c.settings[0].type = SettingType::kInteger; },
         "setting 'rate': type was real, is integer"},
        {[](Component& c) { c.settings[2].type = SettingType::kAny; },
         "setting 'cell': type was enumeration, is any"},
        {[](Component& c) { c.settings[2].type = SettingType::kPath; },
         "setting 'cell': type was enumeration, is path"},
        {[](Component& c) { c.settings[3].list_depth = 1; },
         "setting 'classes': took a value, takes a list"},
        {[](Component& c) { c.settings[1].takes_list_or_one = true; },
         "setting 'sizes': took a list, takes a list, or one value"},
        {[](Component& c) {
             c.settings[2].type = SettingType::kString;
             c.settings[2].choices.clear();
         },
         "setting 'cell': type was enumeration, is string"},
        {[](Component& c) {
             c.settings[3].list_depth = 1;
             c.settings[3].takes_list_or_one = true;
         },
         "setting 'classes': took a value, takes a list, or one value"},
        {[](Component& c) { c.settings[1].list_depth = 2; },
         "setting 'sizes': took a list, takes a list of lists"},
    });
}

TEST_CASE("compare on a swap: another shape is refused of values of any kind, too") {
    Component older = running();
    older.ports[0].element = Element::kAny;
    Component newer = older;
    newer.ports[0].shape = "B,9";
    CHECK(remarks(older, newer) == "breaking: stream 'inputs': shape was [B,2], is [B,9]");
}

TEST_CASE("compare on a swap: ports that come, go and change") {
    check({
        {[](Component& c) { c.ports.erase(c.ports.begin() + 2); },
         "breaking: stream 'outputs': is gone"},
        {[](Component& c) { c.ports.erase(c.ports.begin() + 1); },
         "breaking: stream 'mask': is gone"},
        {[](Component& c) { c.ports.insert(c.ports.begin(), optional_input("hints")); },
         "stream 'hints': is a new input that is optional"},
        {[](Component& c) { c.ports.push_back(port(Direction::kInput, "hints", "B")); },
         "breaking: stream 'hints': is a new input that is required"},
        {[](Component& c) { c.ports.push_back(port(Direction::kOutput, "more", "B")); },
         "breaking: stream 'more': is a new output"},
        {[](Component& c) { c.ports[1].is_optional = false; },
         "stream 'mask': is no longer optional"},
        {[](Component& c) { c.ports[0].is_optional = true; }, "stream 'inputs': is now optional"},
        {[](Component& c) { c.ports[0].direction = Direction::kOutput; },
         "breaking: stream 'inputs': direction was input, is output"},
        {[](Component& c) { c.ports[0].element = Element::kInteger; },
         "breaking: stream 'inputs': element was float, is integer"},
        {[](Component& c) { c.ports[2].shape = "B,4"; },
         "breaking: stream 'outputs': shape was [B,3], is [B,4]"},
        {[](Component& c) { c.ports[2].shape = ""; },
         "breaking: stream 'outputs': shape was [B,3], is []"},
        {[](Component& c) { c.ports[1].when = "cell"; },
         "breaking: stream 'mask': condition was none, is cell"},
        {[](Component& c) { c.ports[0].streams_setting = "names"; },
         "breaking: stream 'inputs': setting of streams was none, is names"},
        {[](Component& c) { c.ports[2].is_loss = true; },
         "breaking: stream 'outputs': is now a loss that is minimized"},
        {[](Component& c) { c.ports[2].is_reshaped = true; },
         "breaking: stream 'outputs': is now the first input in another shape"},
        {[](Component& c) { std::swap(c.ports[0], c.ports[1]); },
         "breaking: order of ports was inputs, mask, outputs, is mask, inputs, outputs"},
    });
}

TEST_CASE("compare on a swap: two ports of one name are distinguished by their conditions") {
    Component before = running();
    before.ports[0].when = "a";
    before.ports[1] = before.ports[0];
    before.ports[1].when = "!a";
    before.ports[1].shape = "B,5";
    CHECK(remarks(before, before) == "");
    Component after = before;
    after.ports[1].when = "b";
    CHECK(remarks(before, after) == "breaking: stream 'inputs': condition was !a, is b");
}

TEST_CASE("compare on a swap: globals that come, go and change") {
    check({
        {[](Component& c) { c.globals.clear(); }, "breaking: global 'size': is no longer read"},
        {[](Component& c) { c.globals.push_back(global(GlobalAccess::kReadIfNamed, "depth")); },
         "breaking: global 'depth': is new"},
        {[](Component& c) { c.globals[0].access = GlobalAccess::kWrite; },
         "breaking: global 'size': access was read, is write"},
        {[](Component& c) { c.globals[0].value = "10"; }, "global 'size': value was none, is 10"},
        {[](Component& c) { c.globals[0].when = "cell"; },
         "breaking: global 'size': condition was none, is cell"},
    });
}

TEST_CASE("compare on a swap: statistics, which are columns of files, that come, go and change") {
    check({
        {[](Component& c) { c.statistics.erase(c.statistics.begin()); },
         "breaking: statistic 'norm': is gone"},
        {[](Component& c) { c.statistics.push_back(statistic("mean")); },
         "breaking: statistic 'mean': is new"},
        {[](Component& c) { c.statistics[0].aggregation = Aggregation::kSum; },
         "breaking: statistic 'norm': aggregation was mean, is sum"},
        {[](Component& c) { c.statistics[0].weight = ""; },
         "breaking: statistic 'norm': weight was count, is none"},
        {[](Component& c) { c.statistics[0].when = "cell"; },
         "breaking: statistic 'norm': condition was none, is cell"},
        {[](Component& c) { c.statistics[1].is_hidden = false; },
         "breaking: statistic 'count': is no longer hidden"},
        {[](Component& c) { c.statistics[0].is_integer = true; },
         "breaking: statistic 'norm': is now a whole number"},
        {[](Component& c) { c.statistics[0].has_spread = true; },
         "breaking: statistic 'norm': is now recorded with minimum, maximum and deviation"},
        {[](Component& c) { c.statistics[0].is_set_only = true; },
         "breaking: statistic 'norm': is now without a value for a single batch"},
        {[](Component& c) { c.statistics[0].decimals = 6; },
         "statistic 'norm': number of decimals was 4, is 6"},
        {[](Component& c) { c.statistics[0].is_smaller_better = true; },
         "statistic 'norm': better value was none, is the smaller one"},
        {[](Component& c) { std::swap(c.statistics[0], c.statistics[1]); },
         "breaking: order of statistics was norm, count, is count, norm"},
    });
}

TEST_CASE("compare on a swap: of another kind, and everything at once") {
    CHECK(after([](Component& c) {
              c.kind = Kind::kTransform;
              c.settings[0].default_value = "1";
              c.ports[0].shape = "B,9";
              c.globals.clear();
          }) ==
          "breaking: kind was model, is transform\n"
          "setting 'rate': default was 0.5, is 1; the running component keeps its value\n"
          "breaking: stream 'inputs': shape was [B,2], is [B,9]\n"
          "breaking: global 'size': is no longer read");
}

}  // namespace compare_on_swap_test

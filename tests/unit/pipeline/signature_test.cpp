#include "pipeline/signature.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace {

using namespace ptp::pipeline;
using namespace ptp;
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
    Port made = port(Direction::input, name, "B");
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
    net.kind = Kind::model;
    net.name = "Net";
    net.summary = "A net";

    Setting rate = setting(SettingType::real, "rate");
    rate.default_value = "0.5";
    rate.range = "[0, 1]";
    Setting sizes = setting(SettingType::integer, "sizes");
    sizes.list_depth = 1;
    sizes.range = "[1, 100]";
    sizes.length = "[1, 3]";
    Setting cell = setting(SettingType::enumeration, "cell");
    cell.choices = {"LSTM", "GRU"};
    Setting classes = setting(SettingType::integer, "classes");
    classes.is_required = true;
    Setting optimizer = setting(SettingType::table, "optimizer");
    Setting momentum = setting(SettingType::real, "momentum");
    momentum.range = "[0, 1)";
    optimizer.members = {momentum};
    net.settings = {rate, sizes, cell, classes, optimizer};

    net.ports = {port(Direction::input, "inputs", "B,2"), optional_input("mask"),
                 port(Direction::output, "outputs", "B,3")};
    net.globals = {global(GlobalAccess::read, "size")};
    net.statistics = {statistic("norm"), statistic("count")};
    net.statistics[0].weight = "count";
    net.statistics[1].is_hidden = true;
    return net;
}

// "narrowed: text", a line for each difference of the changed component.
std::string after(const std::function<void(Component&)>& change) {
    Component offered = running();
    change(offered);
    std::string text;
    Change worst = Change::identical;
    const SignatureComparison comparison = compare_signatures(running(), offered);
    for (const SignatureDifference& difference : comparison.differences) {
        text += text.empty() ? "" : "\n";
        text += std::string(to_string(difference.change)) + ": " + difference.text;
        worst = std::max(worst, difference.change);
    }
    CHECK(comparison.change == worst);
    return text;
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

TEST_CASE("signature: texts for people and the order of settings do not count") {
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
    CHECK(compare_signatures(running(), running()) == SignatureComparison());
}

TEST_CASE("signature: settings that come and go") {
    check({
        {[](Component& c) { c.settings.erase(c.settings.begin()); },
         "narrowed: setting 'rate' has vanished"},
        {[](Component& c) { c.settings.push_back(setting(SettingType::real, "decay")); },
         "widened: setting 'decay' is new; it stays without a value"},
        {[](Component& c) {
             c.settings.push_back(setting(SettingType::real, "decay"));
             c.settings.back().default_value = "0.1";
         },
         "widened: setting 'decay' is new; it takes its default, 0.1"},
        {[](Component& c) {
             c.settings.push_back(setting(SettingType::real, "decay"));
             c.settings.back().is_required = true;
         },
         "narrowed: setting 'decay' is new and required"},
        {[](Component& c) { c.settings[1].is_required = true; },
         "narrowed: setting 'sizes' is required now"},
        {[](Component& c) { c.settings[3].is_required = false; },
         "widened: setting 'classes' is not required any more"},
        {[](Component& c) {
             c.settings[4].members[0].name = "beta";
             c.settings[4].members.push_back(setting(SettingType::boolean, "nesterov"));
         },
         "narrowed: setting 'optimizer.momentum' has vanished\n"
         "widened: setting 'optimizer.beta' is new; it stays without a value\n"
         "widened: setting 'optimizer.nesterov' is new; it stays without a value"},
    });
}

TEST_CASE("signature: defaults that change, which the running component is spared") {
    check({
        {[](Component& c) { c.settings[0].default_value = "0.25"; },
         "widened: default of 'rate' was 0.5, is 0.25; the running component keeps its value"},
        {[](Component& c) { c.settings[0].default_value.reset(); },
         "widened: default of 'rate' was 0.5, is none; the running component keeps its value"},
        {[](Component& c) { c.settings[2].default_value = "\"GRU\""; },
         "widened: default of 'cell' was none, is \"GRU\"; the running component keeps its value"},
    });
}

TEST_CASE("signature: ranges are compared as intervals") {
    const auto rate = [](const char* range) {
        return [=](Component& c) { c.settings[0].range = range; };
    };
    const auto sizes = [](const char* range) {
        return [=](Component& c) { c.settings[1].range = range; };
    };
    check({
        {rate("[0,1]"), ""},
        {rate("[0, 0.5]"), "narrowed: range of 'rate' was [0, 1], is [0, 0.5]"},
        {rate("[0, 1)"), "narrowed: range of 'rate' was [0, 1], is [0, 1)"},
        {rate("(0, 1]"), "narrowed: range of 'rate' was [0, 1], is (0, 1]"},
        {rate("[0.5, 2]"), "narrowed: range of 'rate' was [0, 1], is [0.5, 2]"},
        {rate("[2, 3]"), "narrowed: range of 'rate' was [0, 1], is [2, 3]"},
        {rate("[0, 2)"), "widened: range of 'rate' was [0, 1], is [0, 2)"},
        {rate("(-1, inf)"), "widened: range of 'rate' was [0, 1], is (-1, inf)"},
        {rate(""), "widened: range of 'rate' was [0, 1], is none"},
        {rate("any"), "narrowed: range of 'rate' was [0, 1], is any"},
        {sizes("(0, 101)"), ""},
        {sizes("[0.5, 100.5]"), ""},
        {sizes("(1, 100]"), "narrowed: range of 'sizes' was [1, 100], is (1, 100]"},
        {sizes("[0, inf)"), "widened: range of 'sizes' was [1, 100], is [0, inf)"},
        {[](Component& c) { c.settings[3].range = "(-inf, inf)"; }, ""},
        {[](Component& c) { c.settings[3].range = "[0, inf)"; },
         "narrowed: range of 'classes' was none, is [0, inf)"},
        {[](Component& c) { c.settings[4].members[0].range = "[0, 0.9]"; },
         "narrowed: range of 'optimizer.momentum' was [0, 1), is [0, 0.9]"},
        {[](Component& c) { c.settings[1].length = "[1, 2]"; },
         "narrowed: length of 'sizes' was [1, 3], is [1, 2]"},
        {[](Component& c) { c.settings[1].length = "[0, 3]"; },
         "widened: length of 'sizes' was [1, 3], is [0, 3]"},
        {[](Component& c) { c.settings[1].length = "(0, 3]"; }, ""},
    });
}

TEST_CASE("signature: choices that come and go") {
    check({
        {[](Component& c) { c.settings[2].choices = {"LSTM"}; },
         "narrowed: choice 'GRU' of 'cell' has vanished"},
        {[](Component& c) { c.settings[2].choices.push_back("RNN"); },
         "widened: choice 'RNN' of 'cell' is new"},
        {[](Component& c) {
             c.settings[2].choices = {"LSTM", "gru"};
         },
         "narrowed: choice 'GRU' of 'cell' has vanished\nwidened: choice 'gru' of 'cell' is new"},
    });
}

TEST_CASE("signature: types that take what the old one took, and others") {
    check({
        {[](Component& c) { c.settings[3].type = SettingType::real; },
         "widened: setting 'classes' was integer, is real"},
        {[](Component& c) { c.settings[0].type = SettingType::integer; },
         "narrowed: setting 'rate' was real, is integer"},
        {[](Component& c) {
             c.settings[2].type = SettingType::string;
             c.settings[2].choices.clear();
         },
         "widened: setting 'cell' was enumeration, is string"},
        {[](Component& c) { c.settings[2].type = SettingType::any; },
         "widened: setting 'cell' was enumeration, is any"},
        {[](Component& c) { c.settings[2].type = SettingType::path; },
         "narrowed: setting 'cell' was enumeration, is path"},
        {[](Component& c) {
             c.settings[3].list_depth = 1;
             c.settings[3].takes_list_or_one = true;
         },
         "widened: setting 'classes' was integer, is integer or list of integer"},
        {[](Component& c) { c.settings[3].list_depth = 1; },
         "narrowed: setting 'classes' was integer, is list of integer"},
        {[](Component& c) { c.settings[1].takes_list_or_one = true; },
         "widened: setting 'sizes' was list of integer, is integer or list of integer"},
        {[](Component& c) { c.settings[1].list_depth = 2; },
         "narrowed: setting 'sizes' was list of integer, is list of list of integer"},
    });
}

TEST_CASE("signature: ports that come, go and change") {
    check({
        {[](Component& c) { c.ports.erase(c.ports.begin() + 2); },
         "breaking: output 'outputs' has vanished"},
        {[](Component& c) { c.ports.erase(c.ports.begin() + 1); },
         "breaking: input 'mask' has vanished"},
        {[](Component& c) { c.ports.insert(c.ports.begin(), optional_input("hints")); },
         "widened: input 'hints' is new and optional"},
        {[](Component& c) { c.ports.push_back(port(Direction::input, "hints", "B")); },
         "breaking: input 'hints' is new and required"},
        {[](Component& c) { c.ports.push_back(port(Direction::output, "more", "B")); },
         "breaking: output 'more' is new"},
        {[](Component& c) { c.ports[1].is_optional = false; },
         "narrowed: input 'mask' was optional, is required now"},
        {[](Component& c) { c.ports[0].is_optional = true; },
         "widened: input 'inputs' is optional now"},
        {[](Component& c) { c.ports[0].direction = Direction::output; },
         "breaking: direction of input 'inputs' was input, is output"},
        {[](Component& c) { c.ports[0].element = Element::integer; },
         "breaking: element of input 'inputs' was float, is integer"},
        {[](Component& c) { c.ports[2].shape = "B,4"; },
         "breaking: shape of output 'outputs' was B,3, is B,4"},
        {[](Component& c) { c.ports[2].shape = ""; },
         "breaking: shape of output 'outputs' was B,3, is none"},
        {[](Component& c) { c.ports[1].when = "cell"; },
         "breaking: condition of input 'mask' was none, is cell"},
        {[](Component& c) { c.ports[0].streams_setting = "names"; },
         "breaking: setting of streams of input 'inputs' was none, is names"},
        {[](Component& c) { c.ports[2].is_loss = true; },
         "breaking: being a loss of output 'outputs' was no, is yes"},
        {[](Component& c) { c.ports[2].is_reshaped = true; },
         "breaking: being reshaped of output 'outputs' was no, is yes"},
        {[](Component& c) { std::swap(c.ports[0], c.ports[1]); },
         "breaking: order of ports was inputs, mask, outputs, is mask, inputs, outputs"},
    });
}

TEST_CASE("signature: two ports of one name are distinguished by their conditions") {
    Component before = running();
    before.ports[0].when = "a";
    before.ports[1] = before.ports[0];
    before.ports[1].when = "!a";
    before.ports[1].shape = "B,5";
    CHECK(compare_signatures(before, before) == SignatureComparison());
    Component after = before;
    after.ports[1].when = "b";
    CHECK(compare_signatures(before, after) ==
          SignatureComparison{Change::breaking,
                              {{Change::breaking, "input 'inputs' has vanished"},
                               {Change::breaking, "input 'inputs' is new and required"}}});
}

TEST_CASE("signature: globals that come, go and change") {
    check({
        {[](Component& c) { c.globals.clear(); }, "breaking: global 'size' has vanished"},
        {[](Component& c) { c.globals.push_back(global(GlobalAccess::read_if_named, "depth")); },
         "breaking: global 'depth' is new"},
        {[](Component& c) { c.globals[0].access = GlobalAccess::write; },
         "breaking: access of global 'size' was read, is write"},
        {[](Component& c) { c.globals[0].value = "10"; },
         "widened: value of global 'size' was none, is 10"},
        {[](Component& c) { c.globals[0].when = "cell"; },
         "breaking: condition of global 'size' was none, is cell"},
    });
}

TEST_CASE("signature: statistics, which are columns of files, that come, go and change") {
    check({
        {[](Component& c) { c.statistics.erase(c.statistics.begin()); },
         "breaking: statistic 'norm' has vanished"},
        {[](Component& c) { c.statistics.push_back(statistic("mean")); },
         "breaking: statistic 'mean' is new"},
        {[](Component& c) { c.statistics[0].aggregation = Aggregation::sum; },
         "breaking: aggregation of statistic 'norm' was mean, is sum"},
        {[](Component& c) { c.statistics[0].weight = ""; },
         "breaking: weight of statistic 'norm' was count, is none"},
        {[](Component& c) { c.statistics[0].when = "cell"; },
         "breaking: condition of statistic 'norm' was none, is cell"},
        {[](Component& c) { c.statistics[1].is_hidden = false; },
         "breaking: being hidden of statistic 'count' was yes, is no"},
        {[](Component& c) { c.statistics[0].is_integer = true; },
         "breaking: being an integer of statistic 'norm' was no, is yes"},
        {[](Component& c) { c.statistics[0].has_spread = true; },
         "breaking: having a spread of statistic 'norm' was no, is yes"},
        {[](Component& c) { c.statistics[0].is_set_only = true; },
         "breaking: being of sets only of statistic 'norm' was no, is yes"},
        {[](Component& c) { c.statistics[0].decimals = 6; },
         "widened: number of decimals of statistic 'norm' was 4, is 6"},
        {[](Component& c) { std::swap(c.statistics[0], c.statistics[1]); },
         "breaking: order of statistics was norm, count, is count, norm"},
    });
}

TEST_CASE("signature: of another kind, and everything at once") {
    CHECK(after([](Component& c) {
              c.kind = Kind::transform;
              c.settings[0].default_value = "1";
              c.ports[0].shape = "B,9";
              c.globals.clear();
          }) ==
          "breaking: kind was model, is transform\n"
          "widened: default of 'rate' was 0.5, is 1; the running component keeps its value\n"
          "breaking: shape of input 'inputs' was B,2, is B,9\n"
          "breaking: global 'size' has vanished");
}

TEST_CASE("signature: of a plugin only the components in use are compared") {
    Manifest before;
    before.name = "nets";
    before.components = {running(), running(), running()};
    before.components[1].name = "Other";
    before.components[2].name = "Third";
    Manifest after = before;
    after.version = "2.0.0";
    after.components[0].settings[0].default_value = "1";
    after.components[1].settings.erase(after.components[1].settings.begin());
    after.components.pop_back();

    const std::vector<std::string> net = {"Net"};
    CHECK(compare_signatures(before, after, net) ==
          SignatureComparison{Change::widened,
                              {{Change::widened,
                                "Net: default of 'rate' was 0.5, is 1; the running component keeps "
                                "its value"}}});
    const std::vector<std::string> two = {"Other", "Net"};
    CHECK(compare_signatures(before, after, two).change == Change::narrowed);
    CHECK(compare_signatures(before, after, two).differences.at(0).text ==
          "Other: setting 'rate' has vanished");
    const std::vector<std::string> third = {"Third"};
    CHECK(compare_signatures(before, after, third) ==
          SignatureComparison{Change::breaking,
                              {{Change::breaking, "component Third has vanished"}}});
    CHECK(compare_signatures(before, after, {}) == SignatureComparison());
    after.name = "networks";
    CHECK(compare_signatures(before, after, {}) ==
          SignatureComparison{Change::breaking,
                              {{Change::breaking, "plugin was 'nets', is 'networks'"}}});
}

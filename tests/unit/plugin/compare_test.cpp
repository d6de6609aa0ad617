#include "plugin/compare.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace compare_test {

namespace {

using namespace ptp::plugin;

Manifest manifest_of(Component component) {
    Manifest manifest;
    manifest.name = "p";
    manifest.version = "1.0.0";
    manifest.components = {std::move(component)};
    return manifest;
}

// A line for each thing that is not identical: "narrowed setting 'x': range was ..., is ...".
std::string differences(const Manifest& older, const Manifest& newer) {
    std::string text;
    for (const Compared& one : compare_manifests(older, newer)) {
        if (one.change == Change::kIdentical) {
            continue;
        }
        text += std::string(to_string(one.change)) + " " + one.kind + " '" + one.name + "':";
        for (const std::string& reason : one.reasons) {
            text += " " + reason + ";";
        }
        text += "\n";
    }
    return text;
}

template <class Part>
std::string of_part(std::vector<Part> Component::*parts, const Part& older, const Part& newer) {
    Component before;
    before.name = "C";
    Component now = before;
    before.*parts = {older};
    now.*parts = {newer};
    return differences(manifest_of(before), manifest_of(now));
}

std::string of_setting(const Setting& older, const std::function<void(Setting&)>& change) {
    Setting newer = older;
    change(newer);
    return of_part(&Component::settings, older, newer);
}

Setting real_setting() {
    Setting setting;
    setting.type = SettingType::kReal;
    setting.name = "x";
    setting.default_value = "0.5";
    setting.range = "[0, 1)";
    return setting;
}

Port input_port(const std::string& shape = "B,10") {
    Port port;
    port.name = "s";
    port.shape = shape;
    return port;
}

std::string of_port(const Port& older, const std::function<void(Port&)>& change) {
    Port newer = older;
    change(newer);
    return of_part(&Component::ports, older, newer);
}

}  // namespace

TEST_CASE("compare: all that is declared in both is listed, and equal builds are identical") {
    const Manifest manifest = manifest_of(ptp::test::full_component());
    const auto compared = compare_manifests(manifest, manifest);
    CHECK(most(compared) == Change::kIdentical);
    std::vector<std::string> names;
    for (const Compared& one : compared) {
        CHECK(one.reasons.empty());
        names.push_back(one.kind + " " + one.name);
    }
    REQUIRE(names.size() > 8);
    CHECK(names[0] == "plugin p");
    CHECK(names[1] == "component FullLoss");
    CHECK(names[2] == "setting optimizer");
    CHECK(names[3] == "setting optimizer.learning_rate");
}

TEST_CASE("compare: help, summary and digits that are shown are no difference") {
    Manifest older = manifest_of(ptp::test::full_component());
    Manifest newer = older;
    newer.components[0].summary = "Other words";
    newer.components[0].settings[0].help = "Other words";
    newer.components[0].statistics[0].decimals = 7;
    CHECK(differences(older, newer) == "");
}

TEST_CASE("compare: a range that holds the old one is wider, one within it narrower") {
    const struct {
        const char* older;
        const char* newer;
        const char* expected;
    } cases[] = {
        {"[0, 1)", "[0, 1]", "widened setting 'x': range was [0, 1), is [0, 1];\n"},
        {"[0, 1)", "", "widened setting 'x': range was [0, 1), is none;\n"},
        {"", "[0, 1)", "narrowed setting 'x': range was none, is [0, 1);\n"},
        {"[0, 1)", "(0, 1)", "narrowed setting 'x': range was [0, 1), is (0, 1);\n"},
        {"[0, 1)", "[0.5, 2]", "narrowed setting 'x': range was [0, 1), is [0.5, 2];\n"},
        {"[0, 1)", "[1, 2]", "breaking setting 'x': range was [0, 1), is [1, 2];\n"},
        {"[0, 1)", "[0.0, 1.0)", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.newer);
        Setting older = real_setting();
        older.range = c.older;
        CHECK(of_setting(older, [&](Setting& s) { s.range = c.newer; }) == c.expected);
    }
}

TEST_CASE("compare: of whole numbers (0, 10] and [1, 11) are the same range") {
    Setting older = real_setting();
    older.type = SettingType::kInteger;
    older.default_value = "5";
    older.range = "(0, 10]";
    CHECK(of_setting(older, [](Setting& s) { s.range = "[1, 11)"; }) == "");
    CHECK(of_setting(older, [](Setting& s) { s.range = "[2, 11)"; }) ==
          "narrowed setting 'x': range was (0, 10], is [2, 11);\n");
}

TEST_CASE("compare: a default that changes is breaking, and the same number is no change") {
    CHECK(of_setting(real_setting(), [](Setting& s) { s.default_value = "0.1"; }) ==
          "breaking setting 'x': default was 0.5, is 0.1;\n");
    CHECK(of_setting(real_setting(), [](Setting& s) { s.default_value = "0.50"; }) == "");
    CHECK(of_setting(real_setting(), [](Setting& s) { s.default_value.reset(); }) ==
          "breaking setting 'x': default was 0.5, is none;\n");
    Setting list = real_setting();
    list.list_depth = 1;
    list.default_value = "[1, 2]";
    CHECK(of_setting(list, [](Setting& s) { s.default_value = "[1.0, 2.0]"; }) == "");
    CHECK(of_setting(list, [](Setting& s) { s.default_value = "[1.0]"; }) ==
          "breaking setting 'x': default was [1, 2], is [1.0];\n");
}

TEST_CASE("compare: what is required now is refused where it is missing") {
    Setting required = real_setting();
    required.is_required = true;
    required.default_value.reset();
    CHECK(of_part(&Component::settings, real_setting(), required) ==
          "narrowed setting 'x': is now required;\n");
    CHECK(of_part(&Component::settings, required, real_setting()) ==
          "widened setting 'x': is no longer required;\n");
}

TEST_CASE("compare: types, forms and choices of settings") {
    const auto with = [](SettingType type, std::uint32_t depth, bool takes_one,
                         std::vector<std::string> choices) {
        Setting setting;
        setting.name = "x";
        setting.type = type;
        setting.list_depth = depth;
        setting.takes_list_or_one = takes_one;
        setting.choices = std::move(choices);
        return setting;
    };
    using enum SettingType;
    const struct {
        Setting older;
        Setting newer;
        const char* expected;
    } cases[] = {
        {with(kInteger, 0, false, {}), with(kReal, 0, false, {}),
         "widened setting 'x': type was integer, is real;\n"},
        {with(kReal, 0, false, {}), with(kInteger, 0, false, {}),
         "narrowed setting 'x': type was real, is integer;\n"},
        {with(kString, 0, false, {}), with(kPath, 0, false, {}),
         "breaking setting 'x': type was string, is path;\n"},
        {with(kString, 0, false, {}), with(kAny, 0, false, {}),
         "widened setting 'x': type was string, is any;\n"},
        {with(kEnumeration, 0, false, {"a"}), with(kString, 0, false, {}),
         "widened setting 'x': type was enumeration, is string;\n"},
        {with(kReal, 0, false, {}), with(kReal, 1, true, {}),
         "widened setting 'x': took a value, takes a list, or one value;\n"},
        {with(kReal, 1, true, {}), with(kReal, 1, false, {}),
         "narrowed setting 'x': took a list, or one value, takes a list;\n"},
        {with(kReal, 0, false, {}), with(kReal, 1, false, {}),
         "breaking setting 'x': took a value, takes a list;\n"},
        {with(kEnumeration, 0, false, {"a"}), with(kEnumeration, 0, false, {"b", "a"}),
         "widened setting 'x': choices were a, are b | a;\n"},
        {with(kEnumeration, 0, false, {"a", "b"}), with(kEnumeration, 0, false, {"b", "c"}),
         "narrowed setting 'x': choices were a | b, are b | c;\n"},
        {with(kEnumeration, 0, false, {"a"}), with(kEnumeration, 0, false, {"c"}),
         "breaking setting 'x': choices were a, are c;\n"},
        {with(kEnumeration, 0, false, {"a", "b"}), with(kEnumeration, 0, false, {"b", "a"}), ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.expected);
        CHECK(of_part(&Component::settings, c.older, c.newer) == c.expected);
    }
}

TEST_CASE("compare: a new setting widens unless it is required, and one that is gone breaks") {
    Component older;
    older.name = "C";
    Component newer = older;
    newer.settings = {real_setting()};
    CHECK(differences(manifest_of(older), manifest_of(newer)) == "widened setting 'x': is new;\n");
    CHECK(differences(manifest_of(newer), manifest_of(older)) ==
          "breaking setting 'x': is gone;\n");
    newer.settings[0].is_required = true;
    newer.settings[0].default_value.reset();
    CHECK(differences(manifest_of(older), manifest_of(newer)) ==
          "breaking setting 'x': is new and required;\n");
}

TEST_CASE("compare: members of tables are settings too") {
    Setting older = ptp::test::setting_with_members();
    CHECK(of_setting(older, [](Setting& s) { s.members[0].range = "(0, 2]"; }) ==
          "widened setting 'optimizer.learning_rate': range was (0, 1], is (0, 2];\n");
}

TEST_CASE("compare: an input may take more, an output may promise more") {
    Port output = input_port();
    output.direction = Direction::kOutput;
    const auto shaped = [](const char* shape) { return [shape](Port& p) { p.shape = shape; }; };
    CHECK(of_port(input_port(), shaped("B,*")) ==
          "widened stream 's': shape was [B,10], is [B,*];\n");
    CHECK(of_port(output, shaped("B,*")) == "narrowed stream 's': shape was [B,10], is [B,*];\n");
    CHECK(of_port(input_port("B,*"), shaped("B,10")) ==
          "narrowed stream 's': shape was [B,*], is [B,10];\n");
    CHECK(of_port(input_port(), shaped("...")) ==
          "widened stream 's': shape was [B,10], is [...];\n");
    CHECK(of_port(input_port(), shaped("B,11")) ==
          "breaking stream 's': shape was [B,10], is [B,11];\n");
    CHECK(of_port(input_port(), shaped("B,10,1")) ==
          "breaking stream 's': shape was [B,10], is [B,10,1];\n");
    CHECK(of_port(input_port("B,min(a,b)"), shaped("B,*")) ==
          "widened stream 's': shape was [B,min(a,b)], is [B,*];\n");
    CHECK(of_port(input_port(), shaped("B, 10")) == "");
    CHECK(of_port(input_port(), [](Port& p) { p.element = Element::kAny; }) ==
          "widened stream 's': element was float, is any;\n");
    CHECK(of_port(input_port(), [](Port& p) { p.element = Element::kInteger; }) ==
          "breaking stream 's': element was float, is integer;\n");
}

TEST_CASE("compare: what a port is for, and when it exists") {
    Port output = input_port();
    output.direction = Direction::kOutput;
    CHECK(of_port(input_port(), [](Port& p) { p.is_optional = true; }) ==
          "widened stream 's': is now optional;\n");
    CHECK(of_port(output, [](Port& p) { p.is_loss = true; }) ==
          "breaking stream 's': is now a loss that is minimized;\n");
    CHECK(of_port(output, [](Port& p) { p.direction = Direction::kInput; }) ==
          "breaking stream 's': direction was output, is input;\n");
    CHECK(of_port(output, [](Port& p) { p.when = "flag"; }) ==
          "narrowed stream 's': condition was none, is flag;\n");
    CHECK(of_port(input_port(), [](Port& p) { p.when = "flag"; }) ==
          "widened stream 's': condition was none, is flag;\n");
    output.when = "flag";
    CHECK(of_port(output, [](Port& p) { p.when = "other"; }) ==
          "breaking stream 's': condition was flag, is other;\n");
}

TEST_CASE("compare: streams with one name are compared with those of the same condition") {
    Component component;
    component.name = "C";
    Port first = input_port("B,10");
    first.when = "is_flat";
    Port second = input_port("B,2,5");
    second.when = "!is_flat";
    component.ports = {first, second};
    CHECK(differences(manifest_of(component), manifest_of(component)) == "");
    Component turned = component;
    turned.ports = {second, first};
    CHECK(differences(manifest_of(component), manifest_of(turned)) == "");
    Component lone = component;
    lone.ports = {second};
    CHECK(differences(manifest_of(component), manifest_of(lone)) ==
          "breaking stream 's': is gone;\n");
}

TEST_CASE("compare: new streams, and those that are gone") {
    Component older;
    older.name = "C";
    const auto fresh = [&](const std::function<void(Port&)>& change) {
        Component newer = older;
        newer.ports = {input_port()};
        change(newer.ports[0]);
        return differences(manifest_of(older), manifest_of(newer));
    };
    CHECK(fresh([](Port&) {}) == "breaking stream 's': is a new input that is required;\n");
    CHECK(fresh([](Port& p) { p.when = "flag"; }) ==
          "narrowed stream 's': is a new input that is required if flag;\n");
    CHECK(fresh([](Port& p) { p.is_optional = true; }) ==
          "widened stream 's': is a new input that is optional;\n");
    CHECK(fresh([](Port& p) { p.direction = Direction::kOutput; }) ==
          "widened stream 's': is a new output;\n");
    CHECK(fresh([](Port& p) {
              p.direction = Direction::kOutput;
              p.is_loss = true;
          }) == "breaking stream 's': is a new loss that is minimized;\n");
    Component with_port = older;
    with_port.ports = {input_port()};
    CHECK(differences(manifest_of(with_port), manifest_of(older)) ==
          "breaking stream 's': is gone;\n");
}

TEST_CASE("compare: globals by who must publish them") {
    using enum GlobalAccess;
    const auto with = [](GlobalAccess access) {
        return Global{.access = access, .name = "g", .value = "", .when = "", .help = ""};
    };
    const auto changed = [&](GlobalAccess older, GlobalAccess newer) {
        return of_part(&Component::globals, with(older), with(newer));
    };
    CHECK(changed(kRead, kReadIfPublished) ==
          "widened global 'g': access was read, is read_if_published;\n");
    CHECK(changed(kReadIfNamed, kRead) ==
          "narrowed global 'g': access was read_if_named, is read;\n");
    CHECK(changed(kWriteIfNamed, kWrite) ==
          "narrowed global 'g': access was write_if_named, is write;\n");
    CHECK(changed(kWrite, kRead) == "breaking global 'g': access was write, is read;\n");
    Global valued = with(kWrite);
    valued.value = "10";
    CHECK(of_part(&Component::globals, valued, with(kWrite)) ==
          "narrowed global 'g': value was 10, is none;\n");
    const auto fresh = [&](GlobalAccess access) {
        Component older;
        older.name = "C";
        Component newer = older;
        newer.globals = {with(access)};
        return differences(manifest_of(older), manifest_of(newer)) +
               differences(manifest_of(newer), manifest_of(older));
    };
    CHECK(fresh(kRead) ==
          "breaking global 'g': is new, and must be published;\n"
          "narrowed global 'g': is no longer read;\n");
    CHECK(fresh(kWrite) ==
          "narrowed global 'g': is new, and nothing else can publish it;\n"
          "breaking global 'g': is no longer published;\n");
    CHECK(fresh(kReadIfNamed) ==
          "widened global 'g': is new;\nnarrowed global 'g': is no longer read;\n");
}

TEST_CASE("compare: statistics, requirements and abilities") {
    Component older;
    older.name = "C";
    older.statistics = {Statistic{.name = "acc", .weight = "", .when = "", .help = ""}};
    older.requirements = {{"$a < $b", "must be less", ""}};
    older.abilities = {"ptp.mode/1"};
    Component newer = older;
    newer.statistics[0].aggregation = Aggregation::kSum;
    newer.statistics[0].has_spread = true;
    newer.statistics[0].is_larger_better = true;
    newer.requirements = {{"$a < 3", "must be less", ""}};
    newer.abilities = {"ptp.state/1", "ptp.samples/1"};
    CHECK(differences(manifest_of(older), manifest_of(newer)) ==
          "breaking statistic 'acc': aggregation was mean, is sum; is now recorded with minimum, "
          "maximum and deviation;\n"
          "widened requirement '$a < $b': need not hold any more;\n"
          "narrowed requirement '$a < 3': must hold now;\n"
          "breaking ability 'ptp.mode/1': is no longer offered;\n"
          "narrowed ability 'ptp.state/1': is new, and checkpoints of before have nothing of it;\n"
          "widened ability 'ptp.samples/1': is new;\n");
}

TEST_CASE("compare: components that come, go or become another kind, and the plugin's name") {
    Component model;
    model.name = "C";
    Component loss = model;
    loss.kind = Kind::kLoss;
    CHECK(differences(manifest_of(model), manifest_of(loss)) ==
          "breaking component 'C': kind was model, is loss;\n");
    Component other = model;
    other.name = "D";
    Manifest newer = manifest_of(other);
    newer.name = "q";
    CHECK(differences(manifest_of(model), newer) ==
          "breaking plugin 'p': name was p, is q;\n"
          "breaking component 'C': is gone;\n"
          "widened component 'D': is new;\n");
}

}  // namespace compare_test

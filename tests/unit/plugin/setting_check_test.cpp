#include "plugin/manifest_check.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace setting_check_test {

namespace {

using namespace ptp;
using namespace ptp::plugin;

// Checks a component X that has nothing but settings.
std::vector<std::string> problems_of(Kind kind, std::vector<Setting> settings) {
    Manifest manifest = ptp::test::full_manifest();
    manifest.components.clear();
    Component& component = manifest.components.emplace_back();
    component.kind = kind;
    component.name = "X";
    component.settings = std::move(settings);
    return check(manifest);
}

// Settings of the full manifest: 0 a table, 1 a list of an enumeration, 2 a list of strings.
std::vector<std::string> problems(const std::function<void(std::vector<Setting>&)>& spoil) {
    std::vector<Setting> settings = ptp::test::full_manifest().components[0].settings;
    spoil(settings);
    return problems_of(Kind::kModel, std::move(settings));
}

std::string default_problem(SettingType type, std::uint32_t list_depth, const std::string& text) {
    Setting setting;
    setting.type = type;
    setting.list_depth = list_depth;
    setting.choices = {"LSTM", "GRU"};
    setting.default_value = text;
    return check_default(setting);
}

}  // namespace

TEST_CASE("settings: each rule that can be broken") {
    const struct {
        const char* expected;
        std::function<void(std::vector<Setting>&)> spoil;
    } cases[] = {
        {"X: setting 'Extra': the name must be lower-case letters, digits and '_', a letter first",
         [](auto& s) { s[2].name = "Extra"; }},
        {"X: setting 'extra': length = \"2\" is not an interval",
         [](auto& s) { s[2].length = "2"; }},
        {"X: has two settings 'cells'", [](auto& s) { s[2].name = "cells"; }},
        {"X: setting 'extra': type = 10: unknown type",
         [](auto& s) { s[2].type = static_cast<SettingType>(10); }},
        {"X: setting 'extra': layers are in a list, or in a list of lists",
         [](auto& s) {
             s[2].type = SettingType::kLayers;
             s[2].list_depth = 2;
         }},
        {"X: setting 'extra': purpose = 17: this host knows 1 to 16; 0 is none",
         [](auto& s) { s[2].purpose = static_cast<ptp::plugin::Purpose>(17); }},
        {"X: setting 'extra': purpose = class_count: is not for this, see ptp/declarations.h",
         [](auto& s) { s[2].purpose = ptp::plugin::Purpose::kClassCount; }},
        {"X: setting 'extra': list_depth = 3: must be 0, 1 or 2",
         [](auto& s) { s[2].list_depth = 3; }},
        {"X: setting 'extra': only a list of values can be given as one value",
         [](auto& s) {
             s[2].list_depth = 2;
             s[2].takes_list_or_one = true;
         }},
        {"X: setting 'extra': only numbers have a range", [](auto& s) { s[2].range = "[0, 1]"; }},
        {"X: setting 'optimizer': only a list has a length",
         [](auto& s) { s[0].length = "[0, 1]"; }},
        {"X: setting 'extra': only a string names a file that is written",
         [](auto& s) { s[2].is_output_file = true; }},
        {"X: setting 'extra': only a path has `obtain`",
         [](auto& s) { s[2].obtain = "install it"; }},
        {"X: setting 'folder': obtain must be one line",
         [](auto& s) { s[3].obtain = "install\nit"; }},
        {"X: setting 'extra': only an enumeration has choices",
         [](auto& s) { s[2].choices = {"a"}; }},
        {"X: setting 'extra': an enumeration needs choices",
         [](auto& s) { s[2].type = SettingType::kEnumeration; }},
        {"X: setting 'cells': has two choices 'GRU'",
         [](auto& s) {
             s[1].choices = {"LSTM", "GRU", "GRU"};
         }},
        {"X: setting 'cells': a choice is empty or not one line",
         [](auto& s) {
             s[1].choices = {"LSTM", ""};
         }},
        {"X: setting 'optimizer': a table needs members", [](auto& s) { s[0].members.clear(); }},
        {"X: setting 'extra': only a table has members",
         [](auto& s) { s[2].members = s[0].members; }},
        {"X: setting 'optimizer': setting 'Rate': the name must be lower-case letters, digits and "
         "'_', a letter first",
         [](auto& s) { s[0].members[0].name = "Rate"; }},
        {"X: setting 'cells': is required, so it has no default",
         [](auto& s) { s[1].is_required = true; }},
        {"X: setting 'extra': default = 3: must be a list of strings, not an integer",
         [](auto& s) { s[2].default_value = "3"; }},
        {"X: setting 'extra': default = \u00e9: is not a TOML value",
         [](auto& s) { s[2].default_value = "\u00e9"; }},
        {"X: setting 'extra': default = [\"\"\"\\\u3001\"\"\"]: is not a TOML value",
         [](auto& s) { s[2].default_value = "[\"\"\"\\\u3001\"\"\"]"; }},
        {"X: setting 'extra': help must be one line", [](auto& s) { s[2].help = "a\nb"; }},
    };
    CHECK(problems([](auto&) {}).empty());
    for (const auto& c : cases) {
        CAPTURE(c.expected);
        CHECK(problems(c.spoil) == std::vector<std::string>{c.expected});
    }
}

TEST_CASE("settings: samples without targets are a path of a task") {
    Setting files;
    files.type = SettingType::kPath;
    files.list_depth = 1;
    files.takes_unlabeled = true;
    files.name = "files";
    CHECK(problems_of(Kind::kTask, {files}).empty());
    CHECK(
        problems_of(Kind::kModel, {files}) ==
        std::vector<std::string>{"X: setting 'files': only a task takes samples without targets"});
    Setting second = files;
    second.name = "more";
    CHECK(problems_of(Kind::kTask, {files, second}) ==
          std::vector<std::string>{"X: has more than one setting for samples without targets"});
    second.type = SettingType::kString;
    CHECK(problems_of(Kind::kTask, {files, second}).empty());
    Setting third = second;
    third.name = "texts";
    CHECK(problems_of(Kind::kTask, {second, third}) ==
          std::vector<std::string>{"X: has more than one setting for samples that are texts"});
    third.list_depth = 0;
    CHECK(problems_of(Kind::kTask, {third}) ==
          std::vector<std::string>{"X: setting 'texts': samples without targets are a path, a list "
                                   "of paths or a list of strings"});
    files.default_value = "[]";
    CHECK(
        problems_of(Kind::kTask, {files}) ==
        std::vector<std::string>{"X: setting 'files': samples without targets are neither required "
                                 "nor have a default"});
}

TEST_CASE("settings: a key of the experiment's own is refused as the name of a setting") {
    for (const char* name : {"type", "batch_size", "priority", "streams", "globals", "statistics",
                             "load", "freeze", "enabled", "phases", "skip_if_missing"}) {
        CAPTURE(name);
        CHECK(problems([&](auto& s) { s[2].name = name; }) ==
              std::vector<std::string>{"X: setting '" + std::string(name) +
                                       "': the name is reserved for the experiment, which could "
                                       "never give it a value; fix: rename the setting"});
    }
    CHECK(problems([](auto& s) { s[0].members[0].name = "type"; }).empty());
}

TEST_CASE("settings: a default that would break the TOML library is refused like a user's file") {
    std::string key = "a";
    for (int i = 0; i < 100'000; ++i) {
        key += ".a";
    }
    const std::string nested = std::string(100'000, '[') + std::string(100'000, ']');
    for (const std::string& text :
         {"{ " + key + " = 1 }", nested, std::string("\"\xff\""), std::string("1979-05-27")}) {
        CAPTURE(text.substr(0, 20));
        CHECK(default_problem(SettingType::kAny, 0, text) == "is not a TOML value");
    }
}

TEST_CASE("settings: a default lies in the range, and has the length, that the setting gives") {
    Setting setting;
    setting.type = SettingType::kReal;
    setting.range = "[0, 1)";
    setting.default_value = "1.5";
    CHECK(check_default(setting) == "must be in [0, 1)");
    setting.list_depth = 1;
    setting.length = "[2, 2]";
    setting.default_value = "[0.5]";
    CHECK(check_default(setting) == "must have 2 items, has 1");
    setting.default_value = "[0.5, 1]";
    CHECK(check_default(setting) == "[1]: must be in [0, 1)");
}

TEST_CASE("settings: a default is TOML of the setting's type") {
    const struct {
        SettingType type;
        std::uint32_t list_depth;
        const char* text;
        const char* expected;
    } cases[] = {
        {SettingType::kBoolean, 0, "true", ""},
        {SettingType::kBoolean, 0, "1", "must be a boolean, not an integer\n    fix: write true"},
        {SettingType::kInteger, 0, "-3", ""},
        {SettingType::kInteger, 0, "3.0", "must be an integer, not a real\n    fix: write 3"},
        {SettingType::kReal, 0, "3.5", ""},
        {SettingType::kReal, 0, "3", ""},
        {SettingType::kReal, 0, "\"3\"",
         "must be a real, not a string\n    fix: remove the quotes: 3"},
        {SettingType::kString, 0, "\"\"", ""},
        {SettingType::kString, 0, "bare", "is not a TOML value"},
        {SettingType::kPath, 0, "'~/data'", ""},
        {SettingType::kPath, 0, "3", "must be a path, not an integer"},
        {SettingType::kEnumeration, 0, "\"GRU\"", ""},
        {SettingType::kEnumeration, 0, "\"gru\"", "must be one of LSTM, GRU; did you mean 'GRU'?"},
        {SettingType::kTable, 0, "{ a = 1 }", ""},
        {SettingType::kTable, 0, "[]", "must be a table, not a list"},
        {SettingType::kAny, 0, "[1, \"a\"]", ""},
        {SettingType::kInteger, 1, "[]", ""},
        {SettingType::kInteger, 1, "[1, 2]", ""},
        {SettingType::kInteger, 1, "1",
         "must be a list of integers, not an integer\n    fix: write [1]"},
        {SettingType::kInteger, 1, "[1, 2.5]", "[1]: must be an integer, not a real"},
        {SettingType::kInteger, 2, "[[1], []]", ""},
        {SettingType::kInteger, 2, "[1]", "[0]: must be a list of integers, not an integer"},
        {SettingType::kInteger, 0, "", "is not a TOML value"},
        {SettingType::kInteger, 0, "1\ny = 2", "must be one line"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(default_problem(c.type, c.list_depth, c.text) == c.expected);
    }
}

TEST_CASE("settings: a list that can be given as one value may have one value as default") {
    Setting setting;
    setting.type = SettingType::kInteger;
    setting.list_depth = 1;
    setting.takes_list_or_one = true;
    setting.default_value = "3";
    CHECK(check_default(setting) == "");
}

}  // namespace setting_check_test

// Which settings of a task determine its samples, and those that follow from the section's name.

#include "pipeline/task_data.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace task_data_test {

using namespace ptp;
using plugin::Kind;
using plugin::SettingType;
using ptp::test::Make;

namespace {

plugin::Setting choice_of(const std::string& name, std::vector<std::string> choices) {
    plugin::Setting setting = test::setting_of(SettingType::kEnumeration, name);
    setting.choices = std::move(choices);
    return setting;
}

plugin::Setting folder() {
    return test::setting_of(SettingType::kPath, "folder", "\"/data\"");
}

plugin::Catalog catalog() {
    return test::catalog_of({Make(Kind::kTask, "Texts")
                                 .setting(folder())
                                 .setting(choice_of("subset", {"train", "valid", "test"}))
                                 .setting(choice_of("mode", {"train", "other"}))
                                 .integer("size", "7")
                                 .integer("width", "3")
                                 .integer("seed", "3")
                                 .integer("stride", "1")
                                 .samples("if($subset or $stride, $size, $size)")});
}

experiment::TaskEntry texts(Value settings = Value::table({})) {
    experiment::TaskEntry task;
    task.type = "Texts";
    task.settings = std::move(settings);
    return task;
}

}  // namespace

TEST_CASE(
    "data settings: paths and what the number of samples follows from, whatever their names") {
    std::vector<std::string> names;
    for (const pipeline::DataSetting& setting : pipeline::data_settings(texts(), catalog())) {
        names.push_back(setting.name);
        if (setting.name == "size") {
            CHECK(setting.default_value == Value(7));
        }
        if (setting.name == "subset") {
            CHECK_FALSE(setting.default_value);
        }
    }
    CHECK(names == std::vector<std::string>{"folder", "subset", "size", "stride"});
}

TEST_CASE("data settings: a subset that would follow from the section is the training's") {
    experiment::TaskEntry task = texts();
    pipeline::fix_split(task, catalog());
    CHECK(task.settings == Value::table({{"subset", "train"}}));
    experiment::TaskEntry given = texts(Value::table({{"subset", "test"}}));
    pipeline::fix_split(given, catalog());
    CHECK(given.settings == Value::table({{"subset", "test"}}));
}

TEST_CASE("class names: a table from names to the numbers from 0 on, in the order of these") {
    const auto names = [](Value mapping) { return pipeline::class_names_in(mapping); };
    CHECK(names(Value::table({{"b", 0}, {"", 2}, {"a", 1}})) ==
          std::vector<std::string>{"b", "a", ""});
    CHECK_FALSE(names(Value::table()));
    CHECK_FALSE(names(Value::table({{"a", 0}, {"b", 2}})));
    CHECK_FALSE(names(Value::table({{"a", 1}, {"b", 2}})));
    CHECK_FALSE(names(Value::table({{"a", 0}, {"b", 0}})));
    CHECK_FALSE(names(Value::table({{"a", 0}, {"b", 1.0}})));
    CHECK_FALSE(names(Value("a")));
}

}  // namespace task_data_test

#include "engine/component/globals.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace globals_test {

using ptp::Value;
using ptp::engine::Globals;

namespace {

// A task with a folder that has its classes, unless they are stated.
ptp::plugin::Component folder_task() {
    ptp::plugin::Component component;
    component.settings.resize(2);
    component.settings[0].name = "folder_of_mine";
    component.settings[0].purpose = ptp::plugin::Purpose::kDataFolder;
    component.settings[1].name = "kinds";
    component.settings[1].purpose = ptp::plugin::Purpose::kClassNames;
    return component;
}

}  // namespace

TEST_CASE("globals: an equal value may be published again, another one is a conflict") {
    Globals globals;
    CHECK_FALSE(globals.publish("num_classes", 10, "'a' (MNIST)"));
    CHECK_FALSE(globals.publish("num_classes", 10, "'b' (MNIST)"));
    CHECK(globals.publish("num_classes", 20, "'b' (MNIST)") ==
          "the global 'num_classes' has one value: 'a' (MNIST) publishes 10, and 'b' (MNIST) "
          "publishes 20");
    CHECK(*globals.publisher("num_classes") == "'a' (MNIST)");
    CHECK(globals.publisher("other") == nullptr);
    REQUIRE(globals.find("num_classes") != nullptr);
    CHECK(globals.find("num_classes")->integer == 10);
    CHECK(globals.find("other") == nullptr);
}

TEST_CASE("globals: of two tables the names are shown that only one of them has") {
    Globals globals;
    const Value two = Value::table({{"ant", 0}, {"bee", 1}});
    const Value three = Value::table({{"ant", 0}, {"bee", 1}, {"cat", 2}});
    CHECK_FALSE(globals.publish("names", two, "'a' (CsvTable)"));
    CHECK(globals.publish("names", three, "'b' (CsvTable)") ==
          "the global 'names' of 'b' (CsvTable) differs from that of 'a' (CsvTable):\n"
          "    only 'b' (CsvTable) has 'cat'");
    CHECK(globals.publish("names", Value::table({{"ant", 1}, {"bee", 0}}), "'c' (CsvTable)") ==
          "the global 'names' of 'c' (CsvTable) differs from that of 'a' (CsvTable):\n"
          "    'ant' is 0 in 'a' (CsvTable) and 1 in 'c' (CsvTable)");
}

TEST_CASE("globals: folders of sections in place of classes are told by their names") {
    const ptp::plugin::Component component = folder_task();
    ptp::pipeline::Node training;
    training.component = &component;
    training.path = "training.task";
    training.settings = {Value("img"), std::nullopt};
    CHECK(ptp::engine::fix_of_classes(training, training, Value::table({{"train", 0}, {"val", 1}}),
                                      Value::table({{"ant", 0}, {"bee", 1}})) ==
          "set folder_of_mine = \"img/train\" in training.task");
    CHECK(ptp::engine::fix_of_classes(training, training, Value::table({{"ant", 0}}),
                                      Value::table({{"ant", 0}, {"bee", 1}})) ==
          "write kinds = [\"ant\", \"bee\"] in the task of each section");
}

TEST_CASE("globals: the order of classes that one section states is written in each") {
    ptp::plugin::Component component;
    component.settings.resize(2);
    component.settings[0].name = "kinds";
    component.settings[0].purpose = ptp::plugin::Purpose::kClassNames;
    component.settings[1].name = "some";
    component.settings[1].purpose = ptp::plugin::Purpose::kMissingClasses;
    const auto task = [&](const std::optional<Value>& kinds) {
        ptp::pipeline::Node node;
        node.component = &component;
        node.settings = {kinds, std::nullopt};
        return node;
    };
    const Value found = Value::table({{"ant", 0}, {"bee", 1}, {"cat", 2}});
    const Value stated = Value::table({{"cat", 0}, {"ant", 1}, {"bee", 2}});
    const Value list = Value::list({"cat", "ant", "bee"});
    const std::string same =
        "write kinds = [\"cat\", \"ant\", \"bee\"] in the task of each section";
    CHECK(ptp::engine::fix_of_classes(task(list), task({}), stated, found) == same);
    CHECK(ptp::engine::fix_of_classes(task({}), task(list), found, stated) == same);
    // Only a class that one of them lacks needs more.
    CHECK(ptp::engine::fix_of_classes(task(list), task({}), stated,
                                      Value::table({{"ape", 0}, {"bee", 1}})) ==
          "write kinds = [\"cat\", \"ant\", \"bee\", \"ape\"] and some = true in the task of "
          "each section");
    // A section that has all of them, and forgets to leave others out, takes the same list.
    const Value more = Value::table({{"ant", 0}, {"ape", 1}, {"bee", 2}, {"cat", 3}});
    auto forgetful = task({});
    forgetful.path = "test.task";
    CHECK(ptp::engine::fix_of_classes(task(list), forgetful, stated, more) ==
          "write kinds = [\"cat\", \"ant\", \"bee\"] in test.task");
    CHECK(ptp::engine::fix_of_classes(task({}), task(list), more, stated) ==
          "write kinds = [\"cat\", \"ant\", \"bee\", \"ape\"] and some = true in the task of "
          "each section");
}

TEST_CASE("globals: a class that differs in capitals alone is renamed as the training has it") {
    const ptp::test::TempFolder folder;
    std::filesystem::create_directories(folder.path() / "Ant");
    const ptp::plugin::Component component = folder_task();
    ptp::pipeline::Node training;
    training.component = &component;
    training.settings = {Value("elsewhere"), std::nullopt};
    ptp::pipeline::Node validation = training;
    validation.settings.front() = Value(folder.path().string());
    const Value own = Value::table({{"Ant", 0}, {"bee", 1}});
    const Value trained = Value::table({{"ant", 0}, {"bee", 1}});
    CHECK(ptp::engine::fix_of_classes(training, validation, trained, own) ==
          "mv " + (folder.path() / "Ant").string() + " " + (folder.path() / "ant").string());
    validation.settings.front().reset();
    CHECK(ptp::engine::fix_of_classes(training, validation, trained, own) ==
          "write 'ant' in place of 'Ant'");
    // Another letter may be another class.
    validation.settings.front() = Value(folder.path().string());
    std::filesystem::create_directories(folder.path() / "circel");
    CHECK(ptp::engine::fix_of_classes(training, validation,
                                      Value::table({{"circle", 0}, {"square", 1}}),
                                      Value::table({{"circel", 0}, {"square", 1}})) ==
          "mv " + (folder.path() / "circel").string() + " " + (folder.path() / "circle").string() +
              ", if that is the same class; else write kinds = [\"circel\", \"circle\", "
              "\"square\"] in the task of each section");
}

TEST_CASE("globals: the folder above those of the sections is not taken for classes") {
    const ptp::test::TempFolder folder;
    for (const char* part : {"own/train/ant", "own/test/ant", "own/val/ant", "own/later"}) {
        std::filesystem::create_directories(folder.path() / part);
    }
    const std::string own = (folder.path() / "own").string();
    const ptp::plugin::Component component = folder_task();
    ptp::pipeline::Node training;
    training.component = &component;
    training.settings = {Value(own + "/train"), std::nullopt};
    ptp::pipeline::Node validation = training;
    validation.path = "validation.task";
    validation.section = "validation";
    validation.settings.front() = Value(own);
    const Value parts = Value::table({{"later", 0}, {"test", 1}, {"train", 2}, {"val", 3}});
    CHECK(ptp::engine::fix_of_classes(training, validation, Value::table({{"ant", 0}}), parts) ==
          "set folder_of_mine = \"" + own + "/val\" in validation.task");
    validation.section = "test.later";
    CHECK(ptp::engine::fix_of_classes(training, validation, Value::table({{"ant", 0}}), parts) ==
          "set folder_of_mine = \"" + own + "/test\" in validation.task");
}

}  // namespace globals_test

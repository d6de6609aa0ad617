// Tables of an experiment that have the names of other programs.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace renamed_tables_test {

using namespace ptp::test;

const std::string kTask = "[training.task]\ntype = \"SortOfCLEVR\"";

std::string problems_with(const std::string& task) {
    return problems_of(replaced(good_experiment(), kTask, task));
}

TEST_CASE("renamed tables: a task under another name keeps tables of settings in one piece") {
    const std::string split = "\nsplit = { shares = [0.7, 0.3], seed = 1 }";
    const auto fix = [](const std::string& name) {
        return "\n    fix: write [training.task] in place of [" + name + "]";
    };
    CHECK(problems_with("[training.data]\ntype = \"SortOfCLEVR\"" + split) ==
          "e.toml:12:11: training.data: unknown key; did you mean 'task'?" + fix("training.data"));
    CHECK(problems_with("[training.dataset]\ntype = \"SortOfCLEVR\"" + split) ==
          "e.toml:12:11: training.dataset: unknown key; did you mean 'task'?" +
              fix("training.dataset"));
}

TEST_CASE("renamed tables: what a table has under another name is not reported as missing, too") {
    CHECK(problems_with("[data]\ntype = \"SortOfCLEVR\"") ==
          "e.toml:12:2: data: unknown key; did you mean 'training.task'?\n"
          "    fix: write [training.task] in place of [data]");
    CHECK(problems_with("[train.task]\ntype = \"SortOfCLEVR\"") ==
          "e.toml:12:2: train: unknown key; did you mean 'training'?\n"
          "    fix: write [training.task] in place of [train.task]");
}

TEST_CASE("renamed tables: freeze has epochs until which a model is frozen") {
    CHECK(problems_of(replaced(good_experiment(), "[pipeline.classifier]\n",
                               "[pipeline.classifier]\nfreeze = { epochs = 2 }\n")) ==
          "e.toml:33:12: pipeline.classifier.freeze.epochs: unknown key; did you mean "
          "'until_epoch'?\n    fix: write until_epoch = 2");
}

}  // namespace renamed_tables_test

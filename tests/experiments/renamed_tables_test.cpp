// Tables of an experiment that have the names of other programs.

#include "experiments/support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

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

TEST_CASE("renamed tables: epochs of a warm-up are one error, whose fix is in episodes") {
    const ptp::test::TempFolder folder;
    const std::string file =
        folder
            .write("e.toml",
                   "[training]\ntask = { type = \"MNIST\", batch_size = 4 }\n"
                   "optimizer = { type = \"Adam\" }\nwarm_up = { epochs = 1 }\n")
            .string();
    const std::string errors = ptp::test::run_program("ptprun", {"check", file}).errors;
    CHECK(errors.find(":4:13: error: training.warm_up.epochs: unknown key\n") != std::string::npos);
    CHECK(errors.find("    fix: write episodes = N: the start of a training states how many "
                      "episodes an epoch has\n") != std::string::npos);
    CHECK(errors.find("training.warm_up.episodes") == std::string::npos);
}

}  // namespace renamed_tables_test

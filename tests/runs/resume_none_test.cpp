// `ptprun resume --set KEY=none`: what a run has is removed from there on.

#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace resume_none_test {

using ptp::test::Cells;
using ptp::test::column;
using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;
using ptp::test::ptprun;
using ptp::test::rows_of;

TEST_CASE("resume --set: a schedule can be removed, and the rate is the optimizer's again") {
    const ExperimentFolder folder;
    folder.write({.training = "optimizer = { type = \"SGD\", lr = 0.125 }\n"
                              "scheduler = { type = \"StepLR\", step_size = 1, gamma = 0.5 }\n"
                              "warm_up = { episodes = 1, start_factor = 1 }\n"
                              "gradient_clipping = 1000.0\n"
                              "terminal_conditions = { epoch_limit = 2 }\n"});
    REQUIRE(folder.run("run").status == 0);
    const std::string run = folder.run_folder("run");
    const ProcessResult resumed =
        ptprun({"resume", run, "--set", "training.terminal_conditions.epoch_limit=3", "--set",
                "training.scheduler=none", "--set", "training.warm_up=none", "--set",
                "training.gradient_clipping=none"});
    CHECK(resumed.errors == "");
    REQUIRE(resumed.status == 0);
    Cells expected(6, "0.125");
    expected.insert(expected.end(), 6, "0.0625");
    expected.insert(expected.end(), 6, "0.125");
    const std::string table = folder.read("run/training.csv");
    CHECK(column(rows_of(table), "learning_rate") == expected);
    const std::string now = folder.read("run/experiment.toml");
    for (const char* key : {"scheduler", "warm_up", "gradient_clipping"}) {
        CAPTURE(key);
        CHECK(now.find(key) == std::string::npos);
    }
    REQUIRE(ptprun({"replay", run, "--run-dir", folder.run_folder("again")}).status == 0);
    CHECK(folder.read("again/training.csv") == table);
}

}  // namespace resume_none_test

// `ptprun resume --set`: the schedule of the learning rate and the warm-up count from where they
// are set, and can be removed.

#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <tuple>
#include <vector>

namespace resume_schedule_test {

using namespace ptp::test;

namespace {

// Six episodes in an epoch, at a rate of 0.125.
void train(const ExperimentFolder& folder, const std::string& epochs) {
    folder.write({.training = "optimizer = { type = \"SGD\", lr = 0.125 }\n"
                              "terminal_conditions = { epoch_limit = " +
                              epochs + ", early_stop_validations = 0 }\n"});
    REQUIRE(folder.run("run").status == 0);
}

ProcessResult resume_with(const ExperimentFolder& folder, const std::vector<std::string>& values) {
    std::vector<std::string> words = {"resume", folder.run_folder("run")};
    for (const std::string& value : values) {
        words.insert(words.end(), {"--set", value});
    }
    return ptprun(words);
}

Cells rates(const ExperimentFolder& folder, const std::string& run) {
    return column(rows_of(folder.read(run + "/training.csv")), "learning_rate");
}

}  // namespace

TEST_CASE("resume --set: a schedule can be removed, and the rate is the optimizer's again") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 0.125 }\n"
                     "scheduler = { type = \"StepLR\", step_size = 1, gamma = 0.5 }\n"
                     "warm_up = { episodes = 1, start_factor = 1 }\n"
                     "gradient_clipping = 1000.0\n"
                     "terminal_conditions = { epoch_limit = 2 }\n"});
    REQUIRE(folder.run("run").status == 0);
    const std::string run = folder.run_folder("run");
    require_success(ptprun({"resume", run, "--set", "training.terminal_conditions.epoch_limit=3",
                            "--set", "training.scheduler=none", "--set", "training.warm_up=none",
                            "--set", "training.gradient_clipping=none"}));
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

TEST_CASE(
    "resume --set: a warm-up counts from there, also over a further resume, and is reported") {
    const ExperimentFolder folder;
    train(folder, "1");
    const ProcessResult result =
        resume_with(folder, {"training.warm_up={episodes=4,start_factor=0.5}",
                             "training.terminal_conditions.episode_limit=8",
                             "training.terminal_conditions.epoch_limit=2"});
    REQUIRE(result.status == 0);
    CHECK(result.output.find("from episode 6 on: training.warm_up.episodes = 4, "
                             "training.warm_up.start_factor = 0.5, "
                             "training.terminal_conditions.epoch_limit = 2, "
                             "training.terminal_conditions.episode_limit = 8; the warm-up counts "
                             "from here\n") != std::string::npos);
    REQUIRE(resume_with(folder, {"training.terminal_conditions.episode_limit=-1"}).status == 0);
    // 0.125 times 0.5, 0.625, 0.75, 0.875 and 1.
    Cells expected(6, "0.125");
    expected.insert(expected.end(),
                    {"0.0625", "0.078125", "0.09375", "0.109375", "0.125", "0.125"});
    CHECK(rates(folder, "run") == expected);
    REQUIRE(ptprun({"replay", folder.run_folder("run"), "--run-dir", folder.run_folder("again")})
                .status == 0);
    CHECK(folder.read("again/training.csv") == folder.read("run/training.csv"));
}

TEST_CASE("resume --set: a schedule of another type, with a state or without, survives a resume") {
    const std::string step = "{ type = \"StepLR\", step_size = 1, gamma = 0.5 }";
    const std::string plateau = "{ type = \"ReduceLROnPlateau\" }";
    // A rate of 0.125 stays on the plateau, and is halved after each epoch of StepLR.
    for (const auto& [first, second, expected] :
         {std::tuple{plateau, step, Cells{"0.125", "0.125", "0.0625"}},
          std::tuple{step, plateau, Cells{"0.125", "0.125", "0.125"}}}) {
        CAPTURE(first);
        const ExperimentFolder folder(
            {.training = "optimizer = { type = \"SGD\", lr = 0.125 }\n"
                         "scheduler = " +
                         first +
                         "\nwarm_up = { episodes = 1, start_factor = 1 }\n"
                         "terminal_conditions = { epoch_limit = 1, "
                         "early_stop_validations = 0 }\n"});
        REQUIRE(folder.run("run").status == 0);
        const auto epochs = [](const char* number) {
            return std::string("training.terminal_conditions.epoch_limit=") + number;
        };
        REQUIRE(resume_with(folder, {epochs("2"), "training.scheduler=" + second}).status == 0);
        require_success(resume_with(folder, {epochs("3")}));
        const Cells all = rates(folder, "run");
        REQUIRE(all.size() == 18);
        CHECK(Cells{all[0], all[6], all[12]} == expected);
    }
}

TEST_CASE("resume --set: what an earlier ptp has changed counts from the start, as it did then") {
    const ExperimentFolder folder;
    train(folder, "2");
    REQUIRE(
        resume_with(folder, {"training.scheduler={ type = \"StepLR\", step_size = 1, gamma = 0.5 }",
                             "training.terminal_conditions.epoch_limit=3"})
            .status == 0);
    CHECK(rates(folder, "run").back() == "0.125");
    const std::string text = folder.read("run/journal.jsonl");
    const std::string now = "{\"format\":2,";
    const std::string before = "{\"format\":1,";
    REQUIRE(text.starts_with(now));
    std::ofstream(folder.path() / "run/journal.jsonl") << before << text.substr(now.size());
    REQUIRE(ptprun({"replay", folder.run_folder("run"), "--run-dir", folder.run_folder("again")})
                .status == 0);
    Cells expected(12, "0.125");
    expected.insert(expected.end(), 6, "0.03125");
    CHECK(rates(folder, "again") == expected);
    CHECK(folder.read("again/journal.jsonl").starts_with(before));
}

}  // namespace resume_schedule_test

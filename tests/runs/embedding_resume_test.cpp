// libptp: runs that continue in this process.

#include "runs/embedding_support.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace embedding_resume_test {

using namespace ptp::test;

namespace {

// As in the runs of ptprun that it is compared with. Before the engine is opened.
const int kIsOneThread = setenv("OMP_NUM_THREADS", "1", 1);

// 48 samples in batches of 8, three epochs.
constexpr int kEpisodes = 18;

// Trains for some episodes, and leaves the run with a checkpoint.
void begin(const ExperimentFolder& folder, const std::filesystem::path& file,
           const std::string& name, int episodes) {
    Embedded begun(file, {.run_folder = folder.run_folder(name)});
    REQUIRE(begun.opened == PTP_RESULT_DONE);
    CHECK(begun.steps(episodes) == episodes);
}

Embedded::Options resumed(std::vector<std::string> set = {}) {
    return {.set = std::move(set), .is_resumed = true};
}

}  // namespace

TEST_CASE("libptp: a run continues in the library, and has the bits of one without interruption") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    REQUIRE(folder.run("whole").status == 0);
    begin(folder, file, "begun", 7);
    folder.write({.pipeline = "[broken"});  // the run has an experiment of its own

    {
        Embedded second(folder.run_folder("begun"), resumed());
        REQUIRE_MESSAGE(second.opened == PTP_RESULT_DONE, second.error());
        CHECK(ptp_experiment_episodes(second.experiment) == 7);
        CHECK(ptp_experiment_run_folder(second.experiment) == folder.run_folder("begun"));
        CHECK(second.steps(4) == 4);
        CHECK(ptp_experiment_episodes(second.experiment) == 11);
        CHECK(ptp_experiment_save(second.experiment) == PTP_RESULT_DONE);
        CHECK(second.steps(2) == 2);
        CHECK(second.read("predictions").size() == 80);
    }
    Embedded third(folder.run_folder("begun"), resumed());
    CHECK(ptp_experiment_episodes(third.experiment) == 13);
    CHECK(ptp_experiment_run(third.experiment) == PTP_RESULT_DONE);
    CHECK(ptp_experiment_episodes(third.experiment) == kEpisodes);
    check_same_run(folder, "whole", "begun");
    CHECK(ptp::test::status_in(folder.run_folder("begun")) == "done: epoch limit of 3 reached (0)");

    // Also one that is done is opened, and has nothing to do but to predict.
    Embedded done(folder.run_folder("begun"), resumed());
    CHECK(done.opened == PTP_RESULT_DONE);
    int32_t is_running = 1;
    CHECK(ptp_experiment_step(done.experiment, &is_running) == PTP_RESULT_DONE);
    CHECK(is_running == 0);
    CHECK(ptp_experiment_run(done.experiment) == PTP_RESULT_DONE);
    CHECK(ptp_experiment_episodes(done.experiment) == kEpisodes);
    float pixels[] = {0.1f, 0.2f, 0.3f, 0.4f};
    int64_t shape[] = {1, 1, 2, 2};
    const DLTensor input{pixels, {kDLCPU, 0}, 4, {kDLFloat, 32, 1}, shape, nullptr, 0};
    CHECK(ptp_experiment_feed(done.experiment, "inputs", &input) == PTP_RESULT_DONE);
    CHECK(ptp_experiment_predict(done.experiment) == PTP_RESULT_DONE);
    CHECK(done.read("predictions").size() == 10);
}

TEST_CASE("libptp: a run that is done continues with other values, as it does in ptprun") {
    const ExperimentFolder folder;
    const std::string longer = "training.terminal_conditions.epoch_limit=4";
    const auto file = folder.write();
    for (const char* name : {"library", "ptprun"}) {
        Embedded first(file, {.run_folder = folder.run_folder(name)});
        CHECK(ptp_experiment_run(first.experiment) == PTP_RESULT_DONE);
    }
    Embedded continued(folder.run_folder("library"), resumed({longer}));
    CHECK(ptp_experiment_run(continued.experiment) == PTP_RESULT_DONE);
    CHECK(ptp_experiment_episodes(continued.experiment) == kEpisodes * 4 / 3);
    const auto resumed_by_ptprun =
        ptp::test::ptprun({"resume", folder.run_folder("ptprun"), "--set", longer});
    REQUIRE(resumed_by_ptprun.status == 0);
    check_same_run(folder, "ptprun", "library");
    CHECK(folder.read("library/experiment.toml") == folder.read("ptprun/experiment.toml"));
}

TEST_CASE("libptp: what cannot continue is refused, with the texts of ptprun") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    const Embedded none(folder.path() / "none", resumed());
    CHECK(none.opened == PTP_RESULT_CONFIGURATION);
    CHECK(none.error() == (folder.path() / "none").string() + ": no such run");
    std::filesystem::create_directory(folder.path() / "photos");
    const Embedded no_run(folder.path() / "photos", resumed());
    CHECK(no_run.opened == PTP_RESULT_CONFIGURATION);
    CHECK(no_run.error() ==
          (folder.path() / "photos").string() + " is not a run folder: it has no experiment.toml");

    begin(folder, file, "begun", 2);
    const std::string run = folder.run_folder("begun");
    Embedded changed(run, resumed({"seed=8"}));
    CHECK(changed.opened == PTP_RESULT_CONFIGURATION);
    CHECK(changed.error() ==
          "--set: seed: resume cannot change it: what has been drawn at random so far came "
          "from it; a training anew, from its last weights, can\n    fix: ptprun " +
              run + "/experiment.toml --set 'pipeline.load=\"" + run +
              "/checkpoints/last\"' --set seed=8");
    int32_t is_running = 1;
    CHECK(ptp_experiment_step(changed.experiment, &is_running) == PTP_RESULT_MISUSE);

    ptp_experiment_options options = PTP_EXPERIMENT_OPTIONS;
    options.run_folder = "elsewhere";
    ptp_experiment* misused = nullptr;
    CHECK(ptp_experiment_resume(run.c_str(), &options, &misused) == PTP_RESULT_MISUSE);
    CHECK(misused == nullptr);
    CHECK(std::string(ptp_experiment_error(nullptr)) ==
          "a run continues in its folder from its newest checkpoint: leave run_folder and "
          "checkpoint NULL");

    Embedded opened(run);
    CHECK(ptp_experiment_step(opened.experiment, &is_running) == PTP_RESULT_MISUSE);
    CHECK(opened.error() == run +
                                " is a run, which predicts here: open its experiment.toml to train "
                                "anew, or continue it by ptp_experiment_resume() or ptprun resume");
}

TEST_CASE("libptp: a run that has diverged is refused, with what can be done") {
    const ExperimentFolder folder;
    // The learning rate grows tenfold and more with each epoch: a good start, and then none.
    const auto file = folder.write(
        {.training = "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                     "scheduler = { type = \"ExponentialLR\", gamma = 1e6 }\n"
                     "terminal_conditions = { epoch_limit = 9, early_stop_validations = 0 }\n"});
    {
        Embedded diverging(file, {.run_folder = folder.run_folder("run")});
        CHECK(ptp_experiment_run(diverging.experiment) == PTP_RESULT_DIVERGED);
    }
    Embedded again(folder.run_folder("run"), resumed());
    CHECK(again.opened == PTP_RESULT_DIVERGED);
    const ptp_problem* problems = nullptr;
    REQUIRE(ptp_experiment_problems(again.experiment, &problems) == 1);
    const std::string run = folder.run_folder("run");
    CHECK(problems[0].fix ==
          "ptprun resume " + run +
              " --checkpoint best --set training.optimizer.lr=0.01\n         ptprun resume " + run +
              " --set training.terminal_conditions.divergence_factor=0");
    CHECK(std::string(problems[0].message)
              .ends_with("; continue from its best weights, after episode 6, with a lower rate, or "
                         "train on as it is"));
    CHECK(again.error() ==
          std::string(problems[0].message) + "\n    fix: " + std::string(problems[0].fix));
    const auto refused = ptp::test::run_program("ptprun", {"resume", folder.run_folder("run")});
    CHECK(refused.status == PTP_RESULT_DIVERGED);
    CHECK(refused.errors == "ptprun: error: " + again.error() + "\n");
}

}  // namespace embedding_resume_test

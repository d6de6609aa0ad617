// What a signal leaves behind.

#include "runs/support.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

namespace interrupt_test {

using namespace ptp::test;

namespace {

constexpr const char* kLongTraining =
    "optimizer = { type = \"Adam\", lr = 0.01 }\n"
    "terminal_conditions = { epoch_limit = 1000000, early_stop_validations = 0, "
    "loss_stop_threshold = 0.0 }\n";

}  // namespace

TEST_CASE("interrupt: SIGHUP, SIGINT, SIGTERM and SIGUSR1 end the episode and keep the weights") {
    struct Case {
        int signal;
        int status;
        const char* name;
    };
    for (const Case& c : {Case{SIGHUP, 129, "SIGHUP"}, Case{SIGINT, 130, "SIGINT"},
                          Case{SIGTERM, 143, "SIGTERM"}, Case{SIGUSR1, 143, "SIGUSR1"}}) {
        CAPTURE(c.name);
        const ExperimentFolder folder({.training = kLongTraining});
        TrainingProcess training(folder, "run");
        REQUIRE(training.wait_for_lines("validation  ", 1));
        CHECK(training.end_with(c.signal) == c.status);
        CHECK(status_in(folder.path() / "run") ==
              std::string("stopped: ") + c.name + " (" + std::to_string(c.status) + ")");
        CHECK(
            folder.read("run/checkpoints/last/checkpoint.toml").find("status = \"interrupted\"") !=
            std::string::npos);

        // A replay ends where the run ended.
        require_success(ptp::test::run_program(
            "ptprun",
            {"replay", folder.run_folder("run"), "--run-dir", folder.run_folder("again")}));
        CHECK(folder.read("again/training.csv") == folder.read("run/training.csv"));
        CHECK(status_in(folder.path() / "again") == "stopped: the end of the replayed run (0)");

        // What it left can be loaded.
        folder.write();
        const std::string load =
            "pipeline.net.load=\"" + folder.run_folder("run") + "/checkpoints/last\"";
        CHECK(folder.run("next", {"--set", load}).status == 0);
    }
}

TEST_CASE("interrupt: a kill while checkpoints are written leaves a whole one") {
    const ExperimentFolder folder;
    for (int i = 1; i <= 4; ++i) {
        CAPTURE(i);
        const std::string name = "run" + std::to_string(i);
        folder.write({.training = kLongTraining});
        TrainingProcess training(folder, name);
        REQUIRE(training.wait_for_lines("validation  ", i));
        CHECK(training.end_with(SIGKILL) == 128 + SIGKILL);
        // After the first validation line the first checkpoint may not be there yet.
        if (i > 1) {
            folder.write();
            const std::string load =
                "pipeline.net.load=\"" + folder.run_folder(name) + "/checkpoints/last\"";
            CHECK(folder.run("after" + std::to_string(i), {"--set", load}).status == 0);
        }
    }
}

TEST_CASE("interrupt: a reader of the output that goes away does not end the training") {
    const ExperimentFolder folder;
    TrainingProcess training(folder, "run");
    training.stop_reading();
    CHECK(training.end_with(0) == 0);
    CHECK(status_in(folder.path() / "run") == "done: epoch limit of 3 reached (0)");
}

TEST_CASE("interrupt: a run whose checkpoints are taken away says that it has failed") {
    const ExperimentFolder folder({.training = kLongTraining});
    TrainingProcess training(folder, "run");
    REQUIRE(training.wait_for_lines("validation  ", 1));
    std::filesystem::rename(folder.path() / "run" / "checkpoints", folder.path() / "away");
    CHECK(training.end_with(0) == 5);
    const std::string status = status_in(folder.path() / "run");
    CHECK(status.starts_with("failed: cannot "));
    CHECK(status.ends_with(" (5)"));
}

}  // namespace interrupt_test

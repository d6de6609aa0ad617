// What ends a training by its loss.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;

namespace {

// Weights and order stay as they are, so that the loss of the training does too.
constexpr const char* kStandingStill =
    "optimizer = { type = \"SGD\", lr = 0.0 }\ndataloader = { shuffle = false }\n";

std::ptrdiff_t rows_of(const std::string& table) {
    return std::ranges::count(table, '\n') - 1;
}

}  // namespace

TEST_CASE("stop: without a validation a training whose loss stands still goes to its limit") {
    const ExperimentFolder folder;
    folder.write({.training = std::string(kStandingStill) +
                              "terminal_conditions = { epoch_limit = 14 }\n",
                  .has_validation = false,
                  .has_test = false});
    const ProcessResult result = folder.run("run", {"--set", "pipeline.net.dropout_rate=0.0"});
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
    CHECK(ptp::test::status_in(folder.path() / "run") == "done: epoch limit of 14 reached (0)");
    CHECK(rows_of(folder.read("run/training_epochs.csv")) == 14);
}

TEST_CASE("stop: without a validation a threshold that is asked for is the training loss's") {
    const ExperimentFolder folder;
    folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                              "terminal_conditions = { epoch_limit = 200, loss_stop_threshold = "
                              "1.5 }\n",
                  .has_validation = false,
                  .has_test = false});
    const ProcessResult result = folder.run("run");
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
    CHECK(ptp::test::status_in(folder.path() / "run") ==
          "done: converged: the loss fell below 1.5 (0)");
    CHECK(folder.read("run/experiment.toml").find("loss_stop_threshold = 1.5") !=
          std::string::npos);
}

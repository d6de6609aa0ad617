// What ends a training by its loss.

#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <sstream>

namespace stop_test {

using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;

namespace {

// Weights and order stay as they are, so that the loss of the training does too.
constexpr const char* kStandingStill =
    "optimizer = { type = \"SGD\", lr = 0.0 }\ndataloader = { shuffle = false }\n";

std::ptrdiff_t rows_of(const std::string& table) {
    return std::ranges::count(table, '\n') - 1;
}

// The values of a column of a table of comma-separated values.
std::vector<double> column_of(const std::string& table, const std::string& name) {
    std::istringstream lines(table);
    std::vector<double> values;
    std::optional<std::size_t> column;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        std::string cell;
        for (std::size_t i = 0; std::getline(cells, cell, ','); ++i) {
            if (column && i == *column) {
                values.push_back(std::stod(cell));
            } else if (!column && cell == name) {
                column = i;
                break;
            }
        }
    }
    return values;
}

}  // namespace

TEST_CASE("stop: the best weights and patience go by the statistic that judges") {
    const auto judged = [](const std::string& better) {
        const ExperimentFolder folder(
            {.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                         "terminal_conditions = { epoch_limit = 30, early_stop_validations = 3 }\n"
                         "judge = { statistic = \"accuracy\", better = \"" +
                         better + "\" }\n"});
        const ProcessResult result = folder.run("run");
        CHECK(ptp::test::without_warnings(result.errors, "training.judge.better:") == "");
        REQUIRE(result.status == 0);
        const std::vector<double> values = column_of(folder.read("run/validation.csv"), "accuracy");
        const bool is_larger = better == "larger";
        const auto best =
            is_larger ? std::ranges::max_element(values) : std::ranges::min_element(values);
        const auto status = nlohmann::json::parse(folder.read("run/status.json"));
        CHECK(status["best"]["statistics"]["accuracy"] == doctest::Approx(*best).epsilon(1e-6));
        CHECK(status["best"]["epoch"] == best - values.begin() + 1);
        // Three validations that were not better ended it.
        CHECK(values.end() - best == 4);
        CHECK(ptp::test::status_in(folder.path() / "run") ==
              "done: stopped early: 3 validations without a better accuracy (0)");
    };
    judged("larger");
    judged("smaller");
}

TEST_CASE("stop: without a validation a training whose loss stands still goes to its limit") {
    const ExperimentFolder folder(
        {.training = std::string(kStandingStill) + "terminal_conditions = { epoch_limit = 14 }\n",
         .has_validation = false,
         .has_test = false});
    const ProcessResult result = folder.run("run", {"--set", "pipeline.net.dropout_rate=0.0"});
    const std::string others =
        ptp::test::without_warnings(result.errors, "training.optimizer.lr: is 0");
    CHECK(ptp::test::without_warnings(others, "hardly anything is learned") == "");
    REQUIRE(result.status == 0);
    CHECK(ptp::test::status_in(folder.path() / "run") == "done: epoch limit of 14 reached (0)");
    CHECK(rows_of(folder.read("run/training_epochs.csv")) == 14);
}

TEST_CASE("stop: without a validation a threshold that is asked for is the training loss's") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                     "terminal_conditions = { epoch_limit = 200, loss_stop_threshold = 1.5 }\n",
         .has_validation = false,
         .has_test = false});
    require_success(folder.run("run"));
    CHECK(ptp::test::status_in(folder.path() / "run") ==
          "done: converged: the loss fell below 1.5 (0)");
    CHECK(folder.read("run/experiment.toml").find("loss_stop_threshold = 1.5") !=
          std::string::npos);
}

TEST_CASE("stop: a loss far above what it began with ends the training with code 6") {
    const ExperimentFolder folder;
    // Raw scores that a huge step makes larger still.
    folder.write({.training = "optimizer = { type = \"SGD\", lr = 1e7 }\n"
                              "terminal_conditions = { epoch_limit = 9, early_stop_validations = 0 "
                              "}\n"});
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 6);
    CHECK(result.errors.starts_with("ptprun: error: the training has diverged: its loss is "));
    CHECK(result.errors.ends_with(
        " it counts as diverged (training.terminal_conditions.divergence_factor); a lower learning "
        "rate may help\n"));
    CHECK(rows_of(folder.read("run/validation.csv")) == 3);
    CHECK_FALSE(folder.has("run/test.csv"));
    CHECK(ptp::test::status_in(folder.path() / "run").starts_with("failed: the training has "));

    // It says so again.
    const ProcessResult again =
        ptp::test::run_program("ptprun", {"resume", folder.run_folder("run")});
    CHECK(again.status == 6);
    const std::string run = folder.run_folder("run");
    CHECK(again.errors == result.errors.substr(0, result.errors.size() - 1) +
                              "; train from scratch with a lower rate, or train on as it is\n"
                              "    fix: ptprun " +
                              run +
                              "/experiment.toml --set training.optimizer.lr=1e+06\n"
                              "         ptprun resume " +
                              run + " --set training.terminal_conditions.divergence_factor=0\n");
    CHECK(rows_of(folder.read("run/validation.csv")) == 3);

    // Also where a limit ends it first; and a setting lets it be.
    const std::vector<std::string> once = {"--set", "training.terminal_conditions.epoch_limit=1"};
    CHECK(folder.run("once", once).status == 6);
    std::vector<std::string> allowed = once;
    allowed.insert(allowed.end(), {"--set", "training.terminal_conditions.divergence_factor=0"});
    CHECK(folder.run("allowed", allowed).status == 0);
}

TEST_CASE("stop: NLLLoss refuses raw scores instead of making them ever larger") {
    const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"});
    const ProcessResult result = folder.run("run", {"--set", "pipeline.net.use_logsoftmax=false"});
    CHECK(result.status == 2);
    const std::string errors = ptp::test::without_excerpts(result.errors);
    CHECK(
        errors.find("pipeline.nll: stream 'predictions' carries raw scores, which NLLLoss does not "
                    "take\n") != std::string::npos);
    CHECK(errors.find("    fix: set pipeline.net.use_logsoftmax = true\n") != std::string::npos);
}

}  // namespace stop_test

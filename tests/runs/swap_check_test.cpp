// `ptprun EXPERIMENT --swap-check N`: plugins are exchanged for copies of themselves, and no bit
// changes.

#include "runs/live_run.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace swap_check_test {

using namespace ptp::test;

namespace {

constexpr const char* kLenet5 = R"(
name = "lenet5"
seed = 1
[training]
optimizer = { type = "Adam", lr = 0.001 }
terminal_conditions = { epoch_limit = 2 }
[training.task]
type = "FashionMNIST"
batch_size = 8
data_folder = "DATA"
resize_image = [32, 32]
[validation.task]
type = "FashionMNIST"
batch_size = 8
data_folder = "DATA"
use_train_data = false
resize_image = [32, 32]
[pipeline.lenet5]
type = "LeNet5"
globals = { prediction_size = "num_classes" }
[pipeline.nll]
type = "NLLLoss"
[pipeline.accuracy]
type = "AccuracyStatistics"
)";

std::string write_lenet5(const ExperimentFolder& folder) {
    std::string text = kLenet5;
    const std::string data = (folder.path() / "data").string();
    for (std::size_t at = text.find("DATA"); at != std::string::npos; at = text.find("DATA")) {
        text.replace(at, 4, data);
    }
    const std::string file = (folder.path() / "lenet5.toml").string();
    std::ofstream(file) << text;
    return file;
}

const std::string kSameCheckpoints =
    "identical  checkpoints/best/checkpoint.toml\n"
    "identical  checkpoints/best/training.safetensors\n"
    "identical  checkpoints/best/training.toml\n"
    "identical  checkpoints/best/weights.safetensors\n"
    "identical  checkpoints/last/checkpoint.toml\n"
    "identical  checkpoints/last/training.safetensors\n"
    "identical  checkpoints/last/training.toml\n"
    "identical  checkpoints/last/weights.safetensors\n";

ProcessResult swap_check(const ExperimentFolder& folder, const std::string& experiment,
                         const std::string& swaps, std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {experiment, "--swap-check", swaps, "--run-dir",
                                          folder.run_folder("check")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return ptprun(arguments);
}

}  // namespace

TEST_CASE("swap-check: LeNet-5 under Adam has the same bits with its plugins exchanged") {
    const ExperimentFolder folder;
    const ProcessResult result = swap_check(folder, write_lenet5(folder), "5");
    require_success(result);
    CHECK(without_folder(result.output, folder.path()) ==
          "without swaps ...\n"
          "with 5 swaps of every plugin ...\n" +
              kSameCheckpoints +
              "identical  training.csv\n"
              "identical  training_epochs.csv\n"
              "identical  validation.csv\n"
              "the swaps have changed no bit; the runs are in FOLDER/check\n");
}

TEST_CASE("swap-check: so has a recurrent net with dropout and batch normalization") {
    const ExperimentFolder folder(with_recurrent(4));
    install(folder);
    const ProcessResult result =
        swap_check(folder, (folder.path() / "experiment.toml").string(), "7",
                   with_installed(folder, {"--set", "checkpoint.every_episodes=5"}));
    require_success(result);
    CHECK(without_folder(result.output, folder.path()) ==
          "without swaps ...\n"
          "with 7 swaps of every plugin ...\n" +
              kSameCheckpoints +
              "identical  test.csv\n"
              "identical  training.csv\n"
              "identical  training_epochs.csv\n"
              "identical  validation.csv\n"
              "the swaps have changed no bit; the runs are in FOLDER/check\n");
    const std::string journal = folder.read("check/swapped/journal.jsonl");
    CHECK(std::count(journal.begin(), journal.end(), '\n') == 7);
}

TEST_CASE("swap-check: so has a training that is made short") {
    const ExperimentFolder folder(with_recurrent(2));
    install(folder);
    require_success(swap_check(folder, (folder.path() / "experiment.toml").string(), "1",
                               with_installed(folder, {"--overfit", "2"})));
}

TEST_CASE("swap-check: a component that forgets is found") {
    const ExperimentFolder folder(with_recurrent(2));
    install(folder, "forgetful");
    const ProcessResult result = swap_check(folder, (folder.path() / "experiment.toml").string(),
                                            "1", with_installed(folder));
    CHECK(result.errors == "");
    CHECK(result.status == 1);
    CHECK(without_folder(result.output, folder.path()) ==
          "without swaps ...\n"
          "with 1 swap of every plugin ...\n"
          "DIFFERS    checkpoints/best/checkpoint.toml\n"
          "DIFFERS    checkpoints/best/training.safetensors\n"
          "DIFFERS    checkpoints/best/training.toml\n"
          "DIFFERS    checkpoints/best/weights.safetensors\n"
          "DIFFERS    checkpoints/last/checkpoint.toml\n"
          "DIFFERS    checkpoints/last/training.safetensors\n"
          "DIFFERS    checkpoints/last/training.toml\n"
          "DIFFERS    checkpoints/last/weights.safetensors\n"
          "DIFFERS    test.csv\n"
          "DIFFERS    training.csv\n"
          "DIFFERS    training_epochs.csv\n"
          "DIFFERS    validation.csv\n"
          "THE SWAPS HAVE CHANGED THE RESULTS; the runs are in FOLDER/check\n");
}

TEST_CASE("swap-check: wants one swap at least, and checkpoints") {
    const ExperimentFolder folder;
    const ProcessResult result = swap_check(folder, write_lenet5(folder), "0");
    CHECK(result.errors ==
          "ptprun: error: --swap-check 0: must be 1 or more\n    help: ptprun help run\n");
    CHECK(result.status == 2);
    const ProcessResult without_checkpoints =
        swap_check(folder, write_lenet5(folder), "1", {"--fast-dev-run"});
    CHECK(without_checkpoints.errors ==
          "ptprun: error: --swap-check compares checkpoints, and --fast-dev-run keeps none\n    "
          "help: ptprun help run\n");
    CHECK(without_checkpoints.status == 2);
}

}  // namespace swap_check_test

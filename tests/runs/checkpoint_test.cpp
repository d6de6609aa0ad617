// What a run keeps, as other programs see it.

#include "run/status.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace checkpoint_test {

namespace fs = std::filesystem;

using ptp::test::ExperimentFolder;
using ptp::test::plain;
using ptp::test::ProcessResult;
using ptp::test::run_program;
using ptp::test::status_in;
using ptp::test::TrainingProcess;
using ptp::test::without_folder;

namespace {

// What a shell command prints.
std::string output_of(const std::string& command) {
    std::string output;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
        output.append(buffer.data(), count);
    }
    pclose(pipe);
    return output;
}

// Trains without an end into the folder `run`, and kills it after its third epoch.
void train_and_kill(const ExperimentFolder& folder, const std::vector<std::string>& more) {
    folder.write(plain(100000000));
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder("run"), "--verbose"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    TrainingProcess process(arguments);
    REQUIRE(process.wait_for_lines("validation  ", 3));
    REQUIRE(process.end_with(SIGKILL) == 128 + SIGKILL);
}

ProcessResult predict(const ExperimentFolder& folder) {
    return run_program("ptprun", {"predict", folder.run_folder("run"), "--data", "test", "-o",
                                  (folder.path() / "predictions.csv").string()});
}

}  // namespace

TEST_CASE("checkpoint: Python reads the weights, and sha256sum checks the files") {
    const ExperimentFolder folder;
    folder.write();
    REQUIRE(folder.run("run").status == 0);
    const std::string last = (folder.path() / "run" / "checkpoints" / "last").string();
    CHECK(output_of("cd " + last + " && sha256sum -c SHA256SUMS") ==
          "checkpoint.toml: OK\ntraining.safetensors: OK\ntraining.toml: OK\n"
          "weights.safetensors: OK\n");
    if (output_of("python3 -c 'print(1)' 2>/dev/null") != "1\n") {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const std::string script =
        (ptp::test::source_dir() / "tests" / "runs" / "read_safetensors.py").string();
    const std::string read = output_of("python3 " + script + " " + last +
                                       "/weights.safetensors | sed 's/ [-0-9.a-fpx+]*$//'");
    CHECK(read ==
          "net.layers.0.weight F32 [16, 4]\nnet.layers.0.bias F32 [16]\n"
          "net.layers.3.weight F32 [10, 16]\nnet.layers.3.bias F32 [10]\n");
    const std::string training =
        output_of("python3 " + script + " " + last + "/training.safetensors");
    CHECK(training.find("generators/net/0 U8 [5056]\n") != std::string::npos);
}

TEST_CASE("checkpoint: a limit of time ends the training, with its name") {
    const ExperimentFolder folder;
    folder.write({.training =
                      "optimizer = { type = \"SGD\", lr = 0.01 }\n"
                      "terminal_conditions = { epoch_limit = 100000000, wall_time = \"1s\", "
                      "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"});
    REQUIRE(folder.run("run").status == 0);
    CHECK(status_in(folder.path() / "run") == "done: time limit of 1s reached (0)");
    CHECK(folder.has("run/test.csv"));
}

TEST_CASE("checkpoint: a run that is killed at once after its first epochs has weights") {
    const ExperimentFolder folder;
    train_and_kill(folder, {});
    CHECK(folder.has("run/checkpoints/last"));
    CHECK(folder.has("run/checkpoints/best"));
    const ProcessResult predicted = predict(folder);
    CHECK(predicted.errors.find("run, epoch ") != std::string::npos);
    CHECK(predicted.errors.find(" (best)\n") != std::string::npos);
    CHECK(predicted.status == 0);
    const ProcessResult resumed =
        ptp::test::resume_with(folder, "run", {"training.terminal_conditions.epoch_limit=9"});
    CHECK(resumed.errors == "");
    CHECK(resumed.output.find("continuing after episode ") != std::string::npos);
}

TEST_CASE("checkpoint: a run that was killed without one says so, and how it begins again") {
    const ExperimentFolder folder;
    train_and_kill(folder, {"--set", "checkpoint.every_epochs=0"});
    const std::string why =
        "ptprun: error: FOLDER/run has no checkpoints; it was killed before it wrote one\n"
        "    fix: ptprun resume FOLDER/run trains it again, in its folder\n"
        "    help: ptprun help predict\n";
    const ProcessResult predicted = predict(folder);
    CHECK(without_folder(predicted.errors, folder.path()) == why);
    CHECK(predicted.status == 2);
    CHECK(without_folder(run_program("ptprun", {folder.run_folder("run")}).errors, folder.path()) ==
          "ptprun: error: FOLDER/run is the folder of a run (died), not an experiment\n"
          "    fix: ptprun resume FOLDER/run continues it, or trains it longer\n"
          "         ptprun FOLDER/run/experiment.toml trains its experiment from scratch\n");
    const auto epochs = ptp::run::read_status(folder.path() / "run/status.json").epoch;
    const ProcessResult resumed =
        ptp::test::resume_with(folder, "run", {"training.terminal_conditions.epoch_limit=2"});
    CHECK(resumed.errors ==
          "warning: the run has no checkpoint: it begins again with its first episode, and its "
          "tables with " +
              std::to_string(epochs) + " epochs are replaced\n");
    CHECK(resumed.status == 0);
    CHECK(ptp::test::last_value(folder.read("run/validation.csv"), "epoch") == "2");
    CHECK(predict(folder).status == 0);
}

}  // namespace checkpoint_test

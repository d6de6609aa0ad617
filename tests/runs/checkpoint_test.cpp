// What a run keeps, as other programs see it.

#include "base/output_file.hpp"
#include "run/status.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace checkpoint_test {

using namespace ptp::test;

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

// Has the experiment write checkpoints as it does by default.
void use_default_checkpoints(const ExperimentFolder& folder) {
    const std::string every_epoch = "every_epochs = 1\n";
    std::string text = folder.read("experiment.toml");
    text.erase(text.find(every_epoch), every_epoch.size());
    std::ofstream(folder.path() / "experiment.toml") << text;
}

// Trains without an end into the folder `run`, and kills it after its first epochs.
void train_and_kill(const ExperimentFolder& folder, const std::vector<std::string>& more) {
    folder.write(plain(100000000));
    use_default_checkpoints(folder);
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder("run"), "--verbose"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    TrainingProcess process(arguments);
    REQUIRE(process.wait_for_lines("validation  ", 5));
    REQUIRE(process.end_with(SIGKILL) == 128 + SIGKILL);
}

ProcessResult predict(const ExperimentFolder& folder) {
    return run_program("ptprun", {"predict", folder.run_folder("run"), "--data", "test", "-o",
                                  (folder.path() / "predictions.csv").string()});
}

}  // namespace

TEST_CASE("checkpoint: Python reads the weights, and sha256sum checks the files") {
    const ExperimentFolder folder;
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
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 0.01 }\n"
                     "terminal_conditions = { epoch_limit = 100000000, wall_time = \"1s\", "
                     "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"});
    REQUIRE(folder.run("run").status == 0);
    CHECK(status_in(folder.path() / "run") == "done: time limit of 1s reached (0)");
    CHECK(folder.has("run/test.csv"));
}

TEST_CASE("checkpoint: a run that is killed has older weights than tables, and says so") {
    const ExperimentFolder folder;
    train_and_kill(folder, {});
    CHECK(folder.has("run/checkpoints/last"));
    const auto status = ptp::run::read_status(folder.path() / "run/status.json");
    const std::string run = folder.run_folder("run");
    const std::string warning =
        "FOLDER/run: warning: was killed in epoch " + std::to_string(status.epoch) +
        ": its tables call epoch " + std::to_string(status.best.value().epoch) +
        " the best, but the weights of that were not saved\n    fix: ptprun resume FOLDER/run\n";
    const auto shown = [&](const std::string& text) { return without_folder(text, folder.path()); };
    const ProcessResult predicted = predict(folder);
    CHECK(shown(predicted.errors)
              .starts_with(warning + "weights of FOLDER/run, epoch 1 (best of those saved)\n"));
    CHECK(predicted.status == 0);
    const std::string file = (folder.path() / "model.ptpm").string();
    const ProcessResult bundled = run_program("ptprun", {"bundle", run, "-o", file});
    CHECK(shown(bundled.errors) == warning);
    CHECK(shown(bundled.output)
              .ends_with(", weights of FOLDER/run, epoch 1 (best of those saved)\n"));
    const std::string best = "epoch " + std::to_string(status.best.value().epoch) +
                             "  (its weights were not saved)  validation  ";
    CHECK(run_program("ptprun", {"control", run, "status"}).output.find(best) != std::string::npos);
    const std::string problem =
        "the weights of epoch " + std::to_string(status.best.value().epoch) + " were not saved";
    CHECK(run_program("ptprun", {"runs", run}).output.find("  " + problem + "\n") !=
          std::string::npos);
    CHECK(run_program("ptprun", {"runs", run, "--json"})
              .output.find("\"problem\": \"" + problem + "\"") != std::string::npos);
    const ProcessResult last =
        run_program("ptprun", {"predict", run, "--data", "test", "--checkpoint", "last", "-o",
                               (folder.path() / "predictions.csv").string()});
    CHECK(shown(last.errors).starts_with("weights of FOLDER/run, epoch 1 (last)\n"));
    // As a run that continues, whose next checkpoint is not due yet.
    const auto file_of_status = folder.path() / "run/status.json";
    const std::string as_killed = ptp::read_text(file_of_status);
    std::string going_on = as_killed;
    const std::size_t pid = going_on.find("\"pid\"");
    REQUIRE(pid != std::string::npos);
    std::ofstream(file_of_status) << going_on.replace(pid, 5, "\"other\"");
    CHECK(shown(predict(folder).errors)
              .starts_with("FOLDER/run: warning: is still training: what is used are the weights "
                           "of FOLDER/run, epoch 1 (best of those saved; epoch " +
                           std::to_string(status.best.value().epoch) +
                           " is better, and not saved yet)\n"));
    std::ofstream(file_of_status) << as_killed;
    const ProcessResult resumed =
        ptp::test::resume_with(folder, "run", {"training.terminal_conditions.epoch_limit=9"});
    CHECK(resumed.errors == "");
    const std::string place =
        "continuing after episode 6, from FOLDER/run/checkpoints/episode_0000000006; episodes 7 "
        "to " +
        std::to_string(status.episode) + " were not saved\n";
    CHECK_MESSAGE(shown(resumed.output).find(place) != std::string::npos, shown(resumed.output));
    CHECK(shown(predict(folder).errors).find("warning") == std::string::npos);
}

TEST_CASE("checkpoint: a run that was killed without one says so, and how it begins again") {
    const ExperimentFolder folder;
    train_and_kill(folder, {"--set", "checkpoint.every_epochs=0"});
    const std::string why =
        "ptprun: error: FOLDER/run has no checkpoints; it was killed before it wrote one; it can be "
        "trained again, in its folder\n"
        "    fix: ptprun resume FOLDER/run\n"
        "    help: ptprun help predict\n";
    const ProcessResult predicted = predict(folder);
    CHECK(without_folder(predicted.errors, folder.path()) == why);
    CHECK(predicted.status == 2);
    CHECK(without_folder(run_program("ptprun", {folder.run_folder("run")}).errors, folder.path()) ==
          "ptprun: error: FOLDER/run is the folder of a run (died), not an experiment: continue it "
          "or train its experiment from scratch\n"
          "    fix: ptprun resume FOLDER/run\n"
          "         ptprun FOLDER/run/experiment.toml\n");
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

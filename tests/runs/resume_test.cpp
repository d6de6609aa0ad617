// A run that was interrupted and goes on ends with the bits of one that was not.

#include "runs/support.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;
using ptp::test::run_program;
using ptp::test::status_in;
using ptp::test::TrainingProcess;
using ptp::test::without_folder;

namespace {

// Dropout, shuffling, momentum, statistics over a set, checkpoints in the middle of epochs, and
// batches that do not divide the set.
std::string training(int epochs) {
    return "optimizer = { type = \"Adam\", lr = 0.01, amsgrad = true }\n"
           "terminal_conditions = { epoch_limit = " +
           std::to_string(epochs) + ", early_stop_validations = 0, loss_stop_threshold = 0.0 }\n";
}

const std::vector<std::string> kOften = {"--set", "checkpoint.every_episodes=5"};

ProcessResult resume(const ExperimentFolder& folder, const std::string& name) {
    return run_program("ptprun", {"resume", folder.run_folder(name)}, {{"OMP_NUM_THREADS", "1"}});
}

// The files whose content is a function of the experiment, the seed and the build.
std::set<std::string> result_files(const fs::path& run) {
    std::set<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(run)) {
        const std::string name = fs::relative(entry.path(), run).string();
        const bool is_result = name.starts_with("checkpoints/") || name.ends_with(".csv");
        if (is_result && entry.is_regular_file()) {
            files.insert(name);
        }
    }
    return files;
}

void check_same_results(const ExperimentFolder& folder, const std::string& left,
                        const std::string& right) {
    const std::set<std::string> files = result_files(folder.path() / left);
    CHECK(files.size() > 10);
    CHECK(result_files(folder.path() / right) == files);
    for (const std::string& file : files) {
        CAPTURE(file);
        CHECK((folder.read(fs::path(left) / file) == folder.read(fs::path(right) / file)));
    }
}

// Kills and resumes until the run is done; gives the number of kills.
int train_with_kills(const ExperimentFolder& folder, const std::string& name, int most_kills,
                     int longest_wait) {
    std::mt19937 random(20261121);  // NOLINT: the moments are random enough by themselves
    std::uniform_int_distribution<int> wait(1, longest_wait);
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder(name)};
    arguments.insert(arguments.end(), kOften.begin(), kOften.end());
    int kills = 0;
    for (;;) {
        TrainingProcess process(arguments);
        const bool is_left_alone = kills == most_kills;
        if (is_left_alone || !process.read_for(wait(random))) {
            const int status = process.end_with(0);
            CHECK(status == 0);
            return kills;
        }
        process.end_with(SIGKILL);
        ++kills;
        // A kill before there is a run to resume.
        if (fs::exists(folder.path() / name / "experiment.toml")) {
            arguments = {"resume", folder.run_folder(name)};
        } else {
            fs::remove_all(folder.path() / name);
        }
    }
}

void flip_last_byte(const fs::path& file) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(-1, std::ios::end);
    const char last = static_cast<char>(stream.get());
    stream.seekp(-1, std::ios::end);
    stream.put(static_cast<char>(~last));
}

}  // namespace

TEST_CASE("resume: kills at random moments change no bit of the results") {
    const ExperimentFolder folder;
    folder.write({.training = training(30)});
    REQUIRE(folder.run("undisturbed", kOften).status == 0);
    CHECK(train_with_kills(folder, "killed", 5, 900) > 0);
    CHECK(status_in(folder.path() / "killed") == "done: epoch limit of 30 reached (0)");
    check_same_results(folder, "undisturbed", "killed");
}

TEST_CASE("resume: a run that a signal stopped goes on, with a partial validation due") {
    const ExperimentFolder folder;
    folder.write({.training = training(40)});
    const std::vector<std::string> more = {"--set", "validation.partial_validation_interval=2"};
    REQUIRE(folder.run("undisturbed", more).status == 0);
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder("stopped")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    TrainingProcess process(arguments);
    REQUIRE(process.wait_for_lines("partial validation", 5));
    REQUIRE(process.end_with(SIGTERM) == 143);
    CHECK(status_in(folder.path() / "stopped") == "stopped: SIGTERM (143)");
    const ProcessResult result = resume(folder, "stopped");
    CHECK(result.errors == "");
    CHECK(result.status == 0);
    CHECK(result.output.find("going on after ") != std::string::npos);
    for (const char* file :
         {"training.csv", "validation.csv", "partial_validation.csv", "training_epochs.csv",
          "test.csv", "checkpoints/last/training.safetensors", "checkpoints/last/training.toml"}) {
        CAPTURE(file);
        CHECK((folder.read(fs::path("undisturbed") / file) ==
               folder.read(fs::path("stopped") / file)));
    }
}

TEST_CASE("resume: the online worker goes on as well") {
    const ExperimentFolder folder;
    folder.write({.training = "worker = \"online\"\n"
                              "optimizer = { type = \"SGD\", lr = 0.1, momentum = 0.9 }\n"
                              "terminal_conditions = { episode_limit = 130, "
                              "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"});
    const std::vector<std::string> more = {"--set", "validation.partial_validation_interval=10"};
    REQUIRE(folder.run("undisturbed", more).status == 0);
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder("killed")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    TrainingProcess process(arguments);
    REQUIRE(process.wait_for_lines("partial validation", 2));
    process.end_with(SIGKILL);
    REQUIRE(resume(folder, "killed").status == 0);
    check_same_results(folder, "undisturbed", "killed");
    CHECK(folder.read("killed/partial_validation.csv").find("\n129,1,21,") != std::string::npos);
    CHECK(status_in(folder.path() / "killed") == "done: episode limit of 130 reached (0)");
}

TEST_CASE("resume: a run that is done says so") {
    const ExperimentFolder folder;
    folder.write({.training = training(1)});
    REQUIRE(folder.run("run").status == 0);
    const ProcessResult result = resume(folder, "run");
    CHECK(result.status == 0);
    CHECK(without_folder(result.output, folder.path()) ==
          "the run in FOLDER/run is done; there is nothing to resume\n");
}

TEST_CASE("resume: a damaged checkpoint is named, and the last good one is taken") {
    const ExperimentFolder folder;
    folder.write({.training = training(3)});
    REQUIRE(folder.run("undisturbed", kOften).status == 0);
    REQUIRE(folder.run("run", kOften).status == 0);
    fs::remove(folder.path() / "run" / "status.json");  // as if it had not come to its end
    flip_last_byte(folder.path() / "run" / "checkpoints" / "last" / "weights.safetensors");
    const ProcessResult result = resume(folder, "run");
    CHECK(result.status == 0);
    const std::string output = without_folder(result.output, folder.path());
    CHECK(output.find("FOLDER/run/checkpoints/episode_0000000018: the checkpoint is damaged:\n"
                      "  weights.safetensors: has changed since it was written\n") !=
          std::string::npos);
    CHECK(output.find("going on after episode 15, from "
                      "FOLDER/run/checkpoints/episode_0000000015\n") != std::string::npos);
    check_same_results(folder, "undisturbed", "run");
}

TEST_CASE("resume: what cannot go on is refused in words") {
    const ExperimentFolder folder;
    folder.write({.training = training(1000000)});
    const ProcessResult none = resume(folder, "nowhere");
    CHECK(none.status == 2);
    CHECK(without_folder(none.errors, folder.path()) ==
          "ptprun: FOLDER/nowhere is not a run folder: it has no experiment.toml\n");

    TrainingProcess process(folder, "run");
    REQUIRE(process.wait_for_lines("validation", 2));
    const ProcessResult busy = resume(folder, "run");
    CHECK(busy.status == 2);
    CHECK(without_folder(busy.errors, folder.path()) ==
          "ptprun: the run in FOLDER/run is going on in another process\n");
    process.end_with(SIGKILL);

    std::ofstream(folder.path() / "run" / "training.csv") << "";
    const ProcessResult shorter = resume(folder, "run");
    CHECK(shorter.status == 4);
    CHECK(shorter.errors.find("training.csv: it has 0 bytes, had ") != std::string::npos);
}

TEST_CASE("resume: 50 kills at random moments change no bit of the results" *
          doctest::skip(std::getenv("PTP_SLOW_TESTS") == nullptr)) {
    const ExperimentFolder folder;
    folder.write({.training = training(400)});
    REQUIRE(folder.run("undisturbed", kOften).status == 0);
    CHECK(train_with_kills(folder, "killed", 50, 1500) == 50);
    check_same_results(folder, "undisturbed", "killed");
}

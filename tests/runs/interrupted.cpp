#include "runs/interrupted.hpp"

#include "runs/training_process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <set>

namespace fs = std::filesystem;

namespace ptp::test {

namespace {

// The files whose content is a function of the experiment, the seed and the build.
std::set<std::string> result_files(const fs::path& run) {
    std::set<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(run)) {
        const std::string name = fs::relative(entry.path(), run).string();
        const bool is_result =
            name.starts_with("checkpoints/") || name.ends_with(".csv") || name.ends_with(".jsonl");
        if (is_result && entry.is_regular_file()) {
            files.insert(name);
        }
    }
    return files;
}

}  // namespace

std::string stateful_training(int epochs) {
    return "optimizer = { type = \"Adam\", lr = 0.01, amsgrad = true }\n"
           "terminal_conditions = { epoch_limit = " +
           std::to_string(epochs) + ", early_stop_validations = 0, loss_stop_threshold = 0.0 }\n";
}

const std::vector<std::string>& often() {
    static const std::vector<std::string> options = {
        "--set", "checkpoint.every_episodes=5",
        "--set", "records.json_lines.every_episodes=2",
        "--set", "records.tensorboard.histograms_every_episodes=7"};
    return options;
}

ProcessResult resume(const ExperimentFolder& folder, const std::string& name) {
    return run_program("ptprun", {"resume", folder.run_folder(name)}, {{"OMP_NUM_THREADS", "1"}});
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

int train_with_kills(const ExperimentFolder& folder, const std::string& name, int most_kills,
                     int longest_wait) {
    std::mt19937 random(20261121);  // NOLINT: the moments are random enough by themselves
    std::uniform_int_distribution<int> wait(1, longest_wait);
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder(name)};
    arguments.insert(arguments.end(), often().begin(), often().end());
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

}  // namespace ptp::test

#include "runs/interrupted.hpp"

#include "runs/training_process.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <regex>
#include <set>

namespace fs = std::filesystem;

namespace ptp::test {

namespace {

// The files whose content is a function of the experiment, the seed and the build.
std::set<std::string> result_files(const fs::path& run) {
    std::set<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(run)) {
        const std::string name = fs::relative(entry.path(), run).string();
        const bool is_result = name.starts_with("checkpoints/") ||
                               name.starts_with("tensorboard/") || name.starts_with("exports/") ||
                               name.starts_with("probe/") || name.starts_with("images/") ||
                               name.ends_with(".csv") || name.ends_with(".jsonl");
        const bool is_set_aside = name.find(".damaged/") != std::string::npos ||
                                  name == "events.jsonl";  // it has the interruptions
        if (is_result && !is_set_aside && entry.is_regular_file()) {
            files.insert(name);
        }
    }
    return files;
}

// The events of TensorBoard's file without their first field, the moment that they were written. A
// record is a length of 8 bytes, its checksum of 4, the event and its checksum.
std::string without_moments(const std::string& events) {
    constexpr std::size_t kHead = 12;
    constexpr std::size_t kMoment = 9;
    constexpr std::size_t kChecksum = 4;
    std::string rest;
    std::size_t at = 0;
    while (at + kHead < events.size()) {
        std::uint64_t length = 0;
        std::memcpy(&length, events.data() + at, sizeof(length));
        at += kHead;
        REQUIRE(length > kMoment);
        REQUIRE(at + length + kChecksum <= events.size());
        REQUIRE(events[at] == '\x09');
        rest += std::to_string(length) + ":" + events.substr(at + kMoment, length - kMoment);
        at += length + kChecksum;
    }
    REQUIRE(at == events.size());
    return rest;
}

// Of a checkpoint's file, without the hashes of what has moments: events, and the file with theirs.
std::string without_hashes_of_moments(const std::string& text) {
    static const std::regex of_events(
        R"((\[sinks\."records\.tensorboard"\]\nsize = \d+\n)sha256 = "\w+"\n)");
    static const std::regex of_training(R"(\w{64} ( |\*)training\.toml\n)");
    return std::regex_replace(std::regex_replace(text, of_events, "$1"), of_training, "");
}

enum class Which { kAll, kRows };

void check_same_files(const ExperimentFolder& folder, const std::string& left,
                      const std::string& right, Which which) {
    const std::set<std::string> files = result_files(folder.path() / left);
    CHECK(files.size() > 10);
    CHECK(result_files(folder.path() / right) == files);
    for (const std::string& file : files) {
        const bool has_no_rows = file.starts_with("checkpoints/") || file == "journal.jsonl";
        if (which == Which::kRows && has_no_rows) {
            continue;
        }
        const auto content = [&](const std::string& run) {
            const std::string bytes = folder.read(fs::path(run) / file);
            if (file.ends_with("/training.toml") || file.ends_with("/SHA256SUMS")) {
                return without_hashes_of_moments(bytes);
            }
            return file.starts_with("tensorboard/") ? without_moments(bytes) : bytes;
        };
        CAPTURE(file);
        CHECK((content(left) == content(right)));
    }
}

Lines with_scheduler(int epochs, const std::string& scheduler) {
    return {.training =
                "optimizer = { type = \"Adam\", lr = 0.01, amsgrad = true, groups = { "
                "net = { lr = 0.02 }, encoder = { frozen = true } } }\n" +
                scheduler +
                "accumulate = 4\n"
                "gradient_clipping = { norm = 0.5 }\n"
                "weight_average = { decay = 0.9 }\n"
                "terminal_conditions = { epoch_limit = " +
                std::to_string(epochs) +
                ", early_stop_validations = 100000, loss_stop_threshold = 0.0 }\n",
            .pipeline =
                "[pipeline.encoder]\ntype = \"FeedForwardNetwork\"\n"
                "use_logsoftmax = false\ndropout_rate = 0.1\nhidden_sizes = [8]\n"
                "streams = { inputs = \"features\", predictions = \"encoded\" }\n"
                "globals = { prediction_size = \"num_classes\" }\n"
                "[pipeline.classes]\ntype = \"PrecisionRecallStatistics\"\n"
                "[pipeline.ranking]\ntype = \"ROCStatistics\"\nmode = \"multiclass\"\n"
                "[pipeline.errors]\ntype = \"RegressionStatistics\"\n"
                "streams = { predictions = \"encoded\", targets = \"predictions\" }\n",
            .source = "encoded"};
}

std::vector<std::string> training_arguments(const ExperimentFolder& folder,
                                            const std::string& name) {
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder(name)};
    arguments.insert(arguments.end(), often().begin(), often().end());
    return arguments;
}

// Milliseconds, of the start and of the training.
struct Durations {
    int start = 0;
    int training = 0;
};

// The headline is the first thing that is said when the training begins.
bool wait_for_headline(TrainingProcess& process) {
    return process.wait_for_lines("tiny  in ", 1);
}

Durations durations_undisturbed(const ExperimentFolder& folder, const std::string& name) {
    using Clock = std::chrono::steady_clock;
    const auto milliseconds = [](Clock::duration duration) {
        return static_cast<int>(
            std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
    };
    const auto begin = Clock::now();
    TrainingProcess process(training_arguments(folder, name));
    REQUIRE(wait_for_headline(process));
    const auto headline = Clock::now();
    REQUIRE(process.end_with(0) == 0);
    return {milliseconds(headline - begin), milliseconds(Clock::now() - headline)};
}

// The random moments of kills: most while it trains, some while it starts.
class Moments {
public:
    explicit Moments(const Durations& durations)
        : start_(1, durations.start + 1), training_(1, durations.training / 2 + 1) {}

    // False if the process ended before.
    bool wait_for_next(TrainingProcess& process) {
        if (++count_ % 4 == 0) {
            return process.read_for(start_(random_));
        }
        return wait_for_headline(process) && process.read_for(training_(random_));
    }

private:
    std::mt19937 random_{20261121};  // NOLINT: the moments are random enough by themselves
    std::uniform_int_distribution<int> start_;
    std::uniform_int_distribution<int> training_;
    int count_ = 0;
};

// Gives how many of the kills it took until the run was done.
int train_with_kills(const ExperimentFolder& folder, const std::string& name, Moments& moments,
                     int most_kills) {
    std::vector<std::string> arguments = training_arguments(folder, name);
    for (int kills = 0;; ++kills) {
        TrainingProcess process(arguments);
        if (kills == most_kills || !moments.wait_for_next(process)) {
            CHECK(process.end_with(0) == 0);
            return kills;
        }
        process.end_with(SIGKILL);
        // A kill before there is a run to resume.
        if (fs::exists(folder.path() / name / "experiment.toml")) {
            arguments = {"resume", folder.run_folder(name)};
        } else {
            fs::remove_all(folder.path() / name);
        }
    }
}

}  // namespace

Lines stateful(int epochs) {
    return with_scheduler(epochs,
                          "scheduler = { type = \"CosineAnnealingWarmRestarts\", T_0 = 3 }\n"
                          "warm_up = { episodes = 20, start_factor = 0.01 }\n");
}

Lines stateful_on_plateau(int epochs) {
    return with_scheduler(
        epochs,
        "scheduler = { type = \"ReduceLROnPlateau\", factor = 0.9, patience = 1, cooldown = 1 }\n");
}

const std::vector<std::string>& often() {
    static const std::vector<std::string> options = {
        "--set", "checkpoint.every_episodes=5",
        "--set", "records.json_lines.every_episodes=2",
        "--set", "records.layer_values.every_episodes=3",
        "--set", "records.probe.every_epochs=1",
        "--set", "records.tensorboard.histograms_every_episodes=7",
        "--set", "records.tensorboard.images=[\"inputs\"]"};
    return options;
}

ProcessResult resume(const ExperimentFolder& folder, const std::string& name) {
    return run_program("ptprun", {"resume", folder.run_folder(name)}, {{"OMP_NUM_THREADS", "1"}});
}

void check_same_results(const ExperimentFolder& folder, const std::string& left,
                        const std::string& right) {
    check_same_files(folder, left, right, Which::kAll);
}

void check_same_rows(const ExperimentFolder& folder, const std::string& left,
                     const std::string& right) {
    check_same_files(folder, left, right, Which::kRows);
}

void check_kills(const ExperimentFolder& folder, int kills) {
    Moments moments(durations_undisturbed(folder, "undisturbed"));
    for (int run = 1; kills > 0; ++run) {
        const std::string name = "killed_" + std::to_string(run);
        CAPTURE(name);
        kills -= train_with_kills(folder, name, moments, kills);
        CHECK(status_in(folder.path() / name) == status_in(folder.path() / "undisturbed"));
        check_same_results(folder, "undisturbed", name);
        fs::remove_all(folder.path() / name);
    }
}

}  // namespace ptp::test

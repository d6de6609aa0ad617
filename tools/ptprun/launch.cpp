// Starts the processes of a training, and starts them again after a failure.

#include "training_job.hpp"

#include "base/cores.hpp"
#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "distributed/failure.hpp"
#include "distributed/place.hpp"
#include "distributed/rank_log.hpp"
#include "plugin/search_path.hpp"
#include "report.hpp"
#include "run/paths.hpp"
#include "run/run_folder.hpp"
#include "run/status.hpp"
#include "whole_fixes.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kShownLines = 12;

// The launches of a training, in the folder of the run while no process works on it.
class Launches {
public:
    Launches(const Given& given, const TrainingLaunch& training)
        : given_(given),
          is_resumed_(!training.run_folder.empty()),
          folder_(is_resumed_
                      ? fs::absolute(training.run_folder)
                      : run::make_folder(asked_folder(given),
                                         run::runs_root() / training.prepared.experiment.name,
                                         std::chrono::system_clock::now())),
          size_(given.integer("nproc").value_or(1)),
          restarts_(given.integer("restarts").value_or(0),
                    given.integer("min-nproc").value_or(size_)),
          timeout_(timeout_of(training.prepared.experiment)) {
        fs::create_directories(folder_ / run::kRanksFolder);
    }

    int run() {
        std::vector<std::string> words = first_words();
        for (std::string reason;;) {
            const distributed::Launch launch = launch_of(words, reason);
            const distributed::LaunchEnd end = distributed::run_processes(launch);
            const auto failure = distributed::failure_of(end, launch);
            if (!failure) {
                return distributed::exit_code_of(end);
            }
            const auto next = end.signal == 0 ? restarts_.after(*failure, size_) : std::nullopt;
            if (!next) {
                return give_up(*failure);
            }
            reason = announce_restart(*failure, *next);
            size_ = *next;
            words = next_words();
        }
    }

private:
    static std::optional<fs::path> asked_folder(const Given& given) {
        return given.has("run-dir") ? std::optional<fs::path>(given.text("run-dir")) : std::nullopt;
    }

    // Returns the time after which a hanging process is noticed; 0 disables that.
    static std::chrono::milliseconds timeout_of(const experiment::Experiment& experiment) {
        const double seconds = experiment.distributed.timeout.seconds;
        return seconds > 0 ? std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))
                           : std::chrono::hours(24 * 365);
    }

    distributed::Launch launch_of(const std::vector<std::string>& words,
                                  const std::string& reason) {
        std::vector<fs::path> logs;
        std::vector<fs::path> states;
        for (std::int64_t rank = 0; rank < size_; ++rank) {
            logs.push_back(run::rank_log(folder_, rank));
            states.push_back(run::rank_state(folder_, rank));
        }
        return {.program = plugin::executable_path(),
                .arguments = words,
                .size = size_,
                .processors = available_cores(),
                .host = distributed::host_name(),
                .variables = {{distributed::kRunFolderVariable, folder_.string()},
                              {distributed::kRestartVariable, fmt::format("{}", restarts_.done())},
                              {distributed::kRestartReasonVariable, reason}},
                .logs = std::move(logs),
                .states = std::move(states),
                .timeout = timeout_};
    }

    // Returns the words as typed: the environment makes each process not start others.
    std::vector<std::string> first_words() {
        std::vector<std::string> words;
        if (is_resumed_) {
            words = {"resume"};
            journal_before_ = journal();
            checkpoint_before_ = last_checkpoint();
        }
        words.insert(words.end(), given_.words().begin(), given_.words().end());
        return words;
    }

    // Returns the words to continue the run, or to begin again if there is no run yet.
    std::vector<std::string> next_words() {
        const bool is_run = fs::exists(folder_ / run::kExperimentFile);
        if (!is_run) {
            remove_beginnings();
        }
        const bool is_changed = is_resumed_ && journal() != journal_before_;
        const bool has_advanced = !is_resumed_ || last_checkpoint() != checkpoint_before_;
        // Until a checkpoint is written, the run starts from the requested checkpoint and with the
        // requested plugins; a change of the experiment is made once.
        if (!is_run || (!has_advanced && !is_changed)) {
            return first_words();
        }
        std::vector<std::string> words = {"resume", folder_.string()};
        const Strings options = options_of_restart();
        words.insert(words.end(), options.begin(), options.end());
        if (!has_advanced) {
            add_given("checkpoint", words);
            add_given("plugins", words);
        }
        return words;
    }

    void add_given(const std::string& option, Strings& words) const {
        for (const std::string& value : given_.texts(option)) {
            words.insert(words.end(), {"--" + option, value});
        }
    }

    // Returns the checkpoint that a run continues from; "" if there is none.
    [[nodiscard]] std::string last_checkpoint() const {
        std::error_code error;
        return fs::read_symlink(folder_ / run::kCheckpointsFolder / run::kLastCheckpoint, error)
            .string();
    }

    // Returns the options for the output, the number of threads and the allowed plugins.
    [[nodiscard]] Strings options_of_restart() const {
        Strings words;
        for (const char* const name : {"quiet", "verbose", "json", "watch", "safe-mode"}) {
            if (given_.has(name)) {
                words.push_back(fmt::format("--{}", name));
            }
        }
        add_given("show", words);
        add_given("threads", words);
        add_given("stop-after", words);
        return words;
    }

    // Returns the journal of the run: a change of the experiment adds to it.
    [[nodiscard]] std::string journal() const {
        std::error_code ignored;
        const fs::path file = folder_ / run::kJournalFile;
        return fs::exists(file, ignored) ? read_text(file) : "";
    }

    // Removes the files of processes that ended before there was a run: the folder was empty, and
    // belongs to this launcher.
    void remove_beginnings() const {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
            if (entry.path().filename() != run::kRanksFolder) {
                fs::remove_all(entry.path());
            }
        }
    }

    // Returns the reason for the record of the run.
    std::string announce_restart(const distributed::Failure& failure, std::int64_t next) {
        show_warning(fmt::format("{}\n    restart {} of {}, with {} process{}{}",
                                 described(failure), restarts_.done(), *given_.integer("restarts"),
                                 next, next == 1 ? "" : "es",
                                 next < size_ ? ", because the same one has failed twice" : "") +
                     (is_profiled() ? "; a run that continues is not profiled" : ""));
        return failure.reason;
    }

    [[nodiscard]] bool is_profiled() const { return !is_resumed_ && given_.has("profile"); }

    [[nodiscard]] std::string described(const distributed::Failure& failure) const {
        std::string text = failure.reason;
        if (!failure.activity.empty()) {
            text += "\n    it was last seen: " + failure.activity;
        }
        if (failure.rank > 0) {
            text += end_of_log(failure.rank);
        }
        return text;
    }

    [[nodiscard]] std::string end_of_log(std::int64_t rank) const {
        const fs::path log = run::rank_log(folder_, rank);
        std::istringstream lines(distributed::last_lines(log, kShownLines));
        std::string text;
        for (std::string line; std::getline(lines, line);) {
            text += (text.empty() ? fmt::format("\n    the end of {}:", log.string()) : "") +
                    "\n        " + line;
        }
        return text;
    }

    // Rank 0 has already printed why it ended.
    int give_up(const distributed::Failure& failure) {
        if (failure.rank != 0 || failure.code > kHungUp || failure.code == kPeerLost) {
            const bool is_run = fs::exists(folder_ / run::kExperimentFile);
            const std::string fix =
                distributed::fix_of(failure, size_, is_run ? folder_.string() : "");
            show_error(
                Explanation{described(failure), whole_fix(is_resumed_ ? "resume" : "", given_, fix)}
                    .text());
        }
        record_end(failure);
        return failure.code;
    }

    // Records the end if rank 0 was killed before it could.
    void record_end(const distributed::Failure& failure) const {
        const fs::path file = folder_ / run::kStatusFile;
        try {
            run::Status status = run::read_status(file);
            if (status.state == "running") {
                status.state = "failed";
                status.reason = failure.reason;
                status.exit_code = failure.code;
                status.ended = now_text();
                run::write_status(file, status);
            }
        } catch (const RunError&) {  // no run yet, or a full disk: the error is on the screen
        }
    }

    const Given& given_;
    bool is_resumed_;
    fs::path folder_;
    std::int64_t size_;
    distributed::Restarts restarts_;
    std::chrono::milliseconds timeout_;
    std::string journal_before_;
    std::string checkpoint_before_;
};

}  // namespace

int launch_training(const Given& given, const TrainingLaunch& training) {
    return Launches(given, training).run();
}

fs::path launched_run_folder() {
    const char* const folder = std::getenv(distributed::kRunFolderVariable);
    return folder == nullptr ? "" : folder;
}

}  // namespace ptp::ptprun

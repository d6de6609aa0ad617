// The commands that train an experiment several times: for drawn values, rung by rung, for each
// combination of given values, and for each fold of a cross-validation.
#pragma once

#include "base/json.hpp"
#include "experiment/experiment.hpp"
#include "ptp-search/planned_runs.hpp"
#include "ptp-search/trials.hpp"
#include "ptprun/commands.hpp"
#include "run/process.hpp"
#include "run/status.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::search {

// The value by which trials are compared: training.judge, or the loss.
struct Metric {
    std::string name;  // "accuracy", "validation.hard.accuracy", "training.loss"
    std::string statistic;
    bool is_larger_better = false;
};

struct SearchPlan {
    std::vector<Rung> rungs;
    Metric metric;
    bool is_online = false;  // budgets are episodes, not epochs
    std::uint64_t seed = 0;
    std::vector<std::size_t> equal_to = {};  // of each trial: the first one with its experiment
};

SearchPlan search_plan(const experiment::Experiment& experiment);

// Participates in a search until it is finished, or other processes have all remaining trials.
// Returns 0 if a trial was trained to its end, or if other processes train the rest; 128 + the
// signal that stopped it; or else the exit code of the first trial that failed. Throws RunError for
// files that cannot be written, UsageError for a folder of something else.
int run_search(const PlannedRuns& trials, const SearchPlan& plan, const SweepOptions& options);

// Returns the options of a command that trains an experiment several times. What every run has in a
// form of its own, or what is for the command itself, is not passed on.
SweepOptions sweep_options(const ptprun::Given& given);

// Run `ptprun search`, `ptprun EXPERIMENT.toml` with several values of one --set, and `ptprun cv`.
int search(const ptprun::Given& given);
int sweep(const ptprun::Given& given);
int cross_validate(const ptprun::Given& given);

struct TrialResult {
    std::string state;  // "stopped" at the end of a rung, "done", "failed"
    int exit_code = 0;
    std::string error = {};              // for a failed one
    std::int64_t episode = 0;            // number of finished episodes
    std::int64_t epoch = 0;              // number of begun epochs
    std::optional<double> value = {};    // of the judged value, the best so far
    std::optional<double> seconds = {};  // of training

    [[nodiscard]] bool has_failed() const { return state == "failed"; }
    [[nodiscard]] TrialScore score(std::size_t trial, bool is_larger_better) const;
};

// Returns "NAME.rung1" for a rung, counted from 0.
std::string rung_name(const std::string& trial, std::size_t rung);

// Returns nullopt if there is none yet. Throws RunError for an invalid file, or one that a newer
// ptprun wrote.
std::optional<TrialResult> read_result(const std::filesystem::path& file);

// Records in NAME.rung1.killed, beside its results, that a trial was killed in the rung. Returns
// whether that was the first time. Throws RunError if writing fails.
bool note_killed(const std::filesystem::path& file);

// Writes the result unless there is one. Throws RunError if writing fails.
void write_result(const std::filesystem::path& file, const TrialResult& result);

struct TrialOutcome {
    std::size_t rung = 0;  // last rung of the trial
    TrialResult result = {};
    std::optional<std::size_t> equal_to = {};  // the trial whose result it takes
};

// Returns "3 epochs".
std::string budget_text(std::int64_t budget, bool is_online);

// Prints the trials, the best first, and the command that trains the best one again. Returns 0 if a
// trial of the last rung was trained to its end, otherwise the exit code of the first one that
// failed.
int print_search(const PlannedRuns& trials, const SearchPlan& plan, const SweepOptions& options,
                 const std::vector<TrialOutcome>& outcomes);

// The description that all users of a shared folder have in common.
struct SharedFolder {
    std::string file;  // with the description: "sweep.json"
    std::string what;  // "sweep"
    Json content;      // following the number of the format
};

// Writes the description into a folder that has none; otherwise compares it. Throws UsageError if
// the folder has another content, RunError if writing fails.
void join_shared(const std::filesystem::path& folder, const SharedFolder& description);

// Creates a file with its full content in one step; returns false if it exists. Only one process
// can create it, also on network file systems. Throws RunError.
bool create_whole(const std::filesystem::path& file, const std::string& content);

// Files NAME.claim in the folder, each of which only one process can create, and which identify it;
// NAME.claim.2 if that process has ended, and so on. An unreadable claim belongs to another
// process.
class Claims {
public:
    Claims(std::filesystem::path folder, run::ProcessNote self, run::Machine machine);

    // Returns whether the run is this process's now: no other process has claimed it, or that
    // process has certainly ended. Writes nothing if another one has it. Throws RunError.
    bool claim(const std::string& name);

    // Returns whether another process has claimed the run, and may still exist.
    [[nodiscard]] bool is_with_other(const std::string& name) const;

private:
    enum class Holder { kNone, kThis, kOther };

    struct Last {
        Holder holder = Holder::kNone;
        int number = 1;
    };

    [[nodiscard]] std::filesystem::path file(const std::string& name, int number) const;
    // Returns the effective claim, or the first one that can be made.
    [[nodiscard]] Last last(const std::string& name) const;
    [[nodiscard]] bool is_this(const run::ProcessNote& holder) const;

    std::filesystem::path folder_;
    run::ProcessNote self_;
    run::Machine machine_;
};

}  // namespace ptp::search

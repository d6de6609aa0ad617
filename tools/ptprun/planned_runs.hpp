// The runs of a sweep or a search: each in a process and a folder of its own, and beside it what it
// prints.

#pragma once

#include "experiment/load/sweep.hpp"
#include "job_queue.hpp"
#include "run/process.hpp"
#include "run/run.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

struct SweepOptions {
    std::vector<std::string> passed_on;  // what each run is given besides its own --set and folder
    std::vector<std::string> resumed_with = {};  // and one that continues
    std::string folder;                          // where the runs go; "": runs/NAME/TIME
    std::size_t jobs = 1;
    std::size_t processes = 1;  // of each run
    bool is_shared = false;     // with other ptprun, which have the same command line
    std::int64_t folds = 0;     // trainings of each experiment, for cross-validation; 0: one
};

struct PlannedRun {
    experiment::SweepPoint point;  // with the fold in its label
    std::string fold = {};         // "2/5"; "": none
};

class PlannedRuns {
public:
    // What it is made of must outlive it.
    PlannedRuns(std::string file, std::vector<PlannedRun> runs, std::filesystem::path parent,
                const SweepOptions& options);

    [[nodiscard]] std::size_t size() const { return runs_.size(); }
    [[nodiscard]] const std::string& file() const { return file_; }  // of the experiment
    [[nodiscard]] const std::filesystem::path& parent() const { return parent_; }
    [[nodiscard]] const experiment::SweepPoint& point(std::size_t run) const {
        return runs_[run].point;
    }

    // "07_lr=0.1_seed=2"; sorted as they run.
    [[nodiscard]] std::string name(std::size_t run) const;
    // "[7/12] lr=0.1 seed=2".
    [[nodiscard]] std::string title(std::size_t run) const;
    [[nodiscard]] std::filesystem::path folder(std::size_t run) const;

    // Trains it from its start. `more` are further options.
    [[nodiscard]] Job first_job(std::size_t run, const std::vector<std::string>& more = {}) const;

    // The same, or continues it where there is a run already; removes what was begun before there
    // was one.
    [[nodiscard]] Job next_job(std::size_t run, const std::vector<std::string>& more = {}) const;

    // What ended it: the last line that reports an error, or the status in its folder, because a
    // full disk keeps its output from being written, or the last line. What it printed before byte
    // `from` is of an earlier part.
    [[nodiscard]] std::string last_words(std::size_t run, const std::string& recorded,
                                         std::uintmax_t from = 0) const;

    // What it prints, and its errors.
    [[nodiscard]] std::filesystem::path output(std::size_t run) const;

private:
    std::string file_;
    std::vector<PlannedRun> runs_;
    std::filesystem::path parent_;
    const SweepOptions& options_;
};

// Whether a process of this machine trains it. It may outlive what has started it, for as long as
// it writes its last checkpoint.
bool is_active(const run::Run& run, const run::Machine& machine);

// Makes the folder for the results of several runs: the one asked for, which must be
// empty or not exist, or a new one in runs/NAME. Throws UsageError.
std::filesystem::path new_results_folder(const std::string& asked_for, const std::string& name);

// Of several processes one makes it, and all use it. Throws UsageError.
std::filesystem::path shared_folder(const std::filesystem::path& asked_for);

// Prints a line. A reader of the output that goes away ends neither a sweep nor a search.
void say_progress(const std::string& line);

// As many threads for each process as keep the cores busy that this one may use, where their number
// is not set.
void divide_cores(std::size_t processes);

}  // namespace ptp::ptprun

// The runs of a sweep or a search, each with a process, a folder, and a file for its output; and
// the queue that starts the processes.
#pragma once

#include "ptprun/sweep_points.hpp"
#include "run/process.hpp"
#include "run/run.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::search {

struct SweepOptions {
    std::vector<std::string> passed_on;  // options of each run, besides its own --set and folder
    std::vector<std::string> resumed_with = {};  // and of a resumed run
    std::string folder;                          // parent of the runs; "": runs/NAME/TIME
    std::size_t jobs = 1;
    std::size_t processes = 1;  // per run
    bool is_shared = false;     // by several ptprun with the same command line
    bool is_quiet = false;      // prints warnings and errors only
    std::int64_t folds = 0;     // trainings per experiment, for cross-validation; 0: one
    bool has_stratified_folds = false;
};

struct Job {
    std::vector<std::string> arguments;
    std::filesystem::path output;  // receives its output and errors
    bool is_appended = false;      // to existing output
};

struct JobEnd {
    int code = 0;    // 128 + signal if killed
    int signal = 0;  // that was passed to it; 0: none
};

// The jobs of a queue, by their numbers.
class Jobs {
public:
    virtual ~Jobs() = default;

    // Returns what to run, or nullopt to skip the job. May throw RunError: then it is refused.
    virtual std::optional<Job> claim(std::size_t job) = 0;
    virtual void begun(std::size_t /*job*/) {}
    virtual void ended(std::size_t /*job*/, const JobEnd& /*end*/) {}
    // Called if its output cannot be written, or no process can be started: it does not run, and
    // its code is kTrainingError.
    virtual void refused(std::size_t job, const std::string& reason) = 0;
    // Called after each end: returns whether to start no more jobs. The running ones continue.
    virtual bool is_last(std::size_t /*job*/, const JobEnd& /*end*/) { return false; }
};

struct QueueEnd {
    std::vector<int> codes;  // by job; -1: not begun
    int signal = 0;          // that stopped the queue; 0: none
};

// Runs jobs, at most `most` at a time. SIGHUP, SIGINT, SIGTERM and SIGUSR1 stop further starts and
// are passed to the running jobs, each time that they arrive; all jobs are waited for. A failing
// job does not stop the others, unless `is_last` returns true. Jobs end with this process even if
// it is killed. [main]
QueueEnd run_jobs(Jobs& jobs, std::size_t count, std::size_t most);

struct PlannedRun {
    ptprun::SweepPoint point;  // with the fold in its label
    std::string fold = {};     // "2/5"; "": none
};

class PlannedRuns {
public:
    // The arguments must outlive the object.
    PlannedRuns(std::string file, std::vector<PlannedRun> runs, std::filesystem::path parent,
                const SweepOptions& options);

    [[nodiscard]] std::size_t size() const { return runs_.size(); }
    [[nodiscard]] const std::string& file() const { return file_; }  // the experiment's
    [[nodiscard]] const std::filesystem::path& parent() const { return parent_; }
    [[nodiscard]] const ptprun::SweepPoint& point(std::size_t run) const {
        return runs_[run].point;
    }

    // Returns "07_lr=0.1_seed=2"; names sort in the order of the runs.
    [[nodiscard]] std::string name(std::size_t run) const;
    // Returns "[7/12] lr=0.1 seed=2".
    [[nodiscard]] std::string title(std::size_t run) const;
    [[nodiscard]] std::filesystem::path folder(std::size_t run) const;

    // Returns the job that trains the run from its start. `more` are further options.
    [[nodiscard]] Job first_job(std::size_t run, const std::vector<std::string>& more = {}) const;

    // Returns the job that trains the run, or continues it if it exists; removes files from before
    // it existed.
    [[nodiscard]] Job next_job(std::size_t run, const std::vector<std::string>& more = {}) const;

    // Returns why the run ended: the last line that reports an error, or the status in its folder,
    // because a full disk prevents output, or the last line. Output before byte `from` is ignored.
    [[nodiscard]] std::string last_words(std::size_t run, const std::string& recorded,
                                         std::uintmax_t from = 0) const;

    // Returns the file for the run's output and errors.
    [[nodiscard]] std::filesystem::path output(std::size_t run) const;

private:
    std::string file_;
    std::vector<PlannedRun> runs_;
    std::filesystem::path parent_;
    const SweepOptions& options_;
};

// Returns whether a process of this machine trains the run. It may outlive its parent until it has
// written its last checkpoint.
bool is_active(const run::Run& run, const run::Machine& machine);

// Creates the folder if no other process has, and returns it. Throws UsageError.
std::filesystem::path shared_folder(const std::filesystem::path& asked_for);

// The warnings in the outputs of runs.
class RunWarnings {
public:
    // The runs must outlive the object.
    explicit RunWarnings(const PlannedRuns& runs) : runs_(runs) {}

    // Reads the output of a run so far.
    void read(std::size_t run);

    // Prints each warning to standard error, with the runs that have it; once.
    void show();

private:
    struct Found {
        std::string text;
        std::vector<std::size_t> runs;
    };

    void add(const std::string& text, std::size_t run);

    const PlannedRuns& runs_;
    std::vector<Found> found_;
    std::size_t shown_ = 0;  // of these
};

// Runs that were refused before their training. Where all for one reason, it is that of the others.
class Refusals {
public:
    // `needed` of them are enough. The runs must outlive the object.
    Refusals(const PlannedRuns& runs, std::size_t needed) : runs_(runs), needed_(needed) {}

    // Adds a run that has ended with the code. Returns whether the others need not begin.
    bool add(std::size_t run, int code);

    // Returns what the last add() did.
    [[nodiscard]] bool are_all() const { return refused_ == ended_ && refused_ >= needed_; }

private:
    const PlannedRuns& runs_;
    const std::size_t needed_;
    std::size_t ended_ = 0;
    std::size_t refused_ = 0;  // for the reason of the first one
    std::string reason_;
};

// Shows in full why a run was refused, with its fix, and leaves no folder, which it says.
void report_refusal(const PlannedRuns& runs, std::size_t refused);

// Print a line. A closed pipe ends neither a sweep nor a search.
void say_progress(const SweepOptions& options, const std::string& line);  // nothing when quiet
void say_failure(const std::string& line);

// Sets the number of threads per process such that all processes together use the available cores,
// unless the number is set.
void divide_cores(std::size_t processes);

}  // namespace ptp::search

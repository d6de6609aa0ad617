// Runs several ptprun, a limited number at a time.

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptp::search {

struct Job {
    std::vector<std::string> arguments;
    std::filesystem::path output;  // receives its output and errors
    bool is_appended = false;      // to existing output
};

struct QueueEnd {
    std::vector<int> codes;  // by job; 128 + signal if killed; -1: not begun
    int signal = 0;          // that stopped the queue; 0: none
};

struct JobEnd {
    int code = 0;    // as in QueueEnd
    int signal = 0;  // that was passed to it; 0: none
};

struct QueueEvents {
    std::function<void(std::size_t job)> begun = nullptr;
    std::function<void(std::size_t job, const JobEnd& end)> ended = nullptr;
    // Called if its output cannot be written, or no process can be started: it does not run, and
    // its code is kTrainingError.
    std::function<void(std::size_t job, const std::string& reason)> refused = nullptr;
    // Called before a job starts: returns what to run, or nullopt to skip it. May throw RunError:
    // then the job is refused.
    std::function<std::optional<Job>(std::size_t job)> claim = nullptr;
    // Called after each end: returns whether to start no more jobs. The running ones continue.
    std::function<bool(std::size_t job, const JobEnd& end)> is_last = nullptr;
};

// Runs all jobs, at most `most` at a time. SIGHUP, SIGINT, SIGTERM and SIGUSR1 stop further starts
// and are passed to the running jobs, each time that they arrive; all jobs are waited for. A
// failing job does not stop the others, unless `is_last` returns true. Jobs end with this process
// even if it is killed. [main]
QueueEnd run_jobs(const std::vector<Job>& jobs, std::size_t most, const QueueEvents& events);

}  // namespace ptp::search

// Several processes of this program, N at a time.

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptp::ptprun {

struct Job {
    std::vector<std::string> arguments;
    std::filesystem::path output;  // gets what it prints and its errors
    bool is_appended = false;      // to what is there
};

struct QueueEnd {
    std::vector<int> codes;  // exit codes, by job; 128 and the signal that ended it; -1: not begun
    int signal = 0;          // that stopped the queue; 0 if none did
};

struct JobEnd {
    int code = 0;    // as in QueueEnd
    int signal = 0;  // that was passed on to it; 0: none
};

struct QueueEvents {
    std::function<void(std::size_t job)> begun = nullptr;
    std::function<void(std::size_t job, const JobEnd& end)> ended = nullptr;
    // Its output cannot be written, or no process can be started: it does not run, and its code is
    // kTrainingError.
    std::function<void(std::size_t job, const std::string& reason)> refused = nullptr;
    // Asked when its turn has come: what to do, or nothing if it is not to be begun. May throw
    // RunError: then it is refused.
    std::function<std::optional<Job>(std::size_t job)> claim = nullptr;
    // Asked after each end: whether no more is to be begun. Those that run continue.
    std::function<bool(std::size_t job, const JobEnd& end)> is_last = nullptr;
};

// Runs all jobs, at most `most` at a time. SIGHUP, SIGINT, SIGTERM and SIGUSR1 begin no more and
// are passed on to those that run, once for each time that they come; all are waited for. A job
// that fails does not stop the others, unless `is_last` returns true. Jobs end with this process
// even if it is killed. [main]
QueueEnd run_jobs(const std::vector<Job>& jobs, std::size_t most, const QueueEvents& events);

}  // namespace ptp::ptprun

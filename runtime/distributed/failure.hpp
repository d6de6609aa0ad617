// Determines which process of a training has failed first, and whether to restart.

#pragma once

#include "distributed/launcher.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::distributed {

struct Failure {
    std::int64_t rank = 0;
    int code = 0;                  // exit code of the whole training
    bool is_transient = false;     // it may not recur: a crash, a kill, a hang
    bool has_own_error = false;    // the process has ended with an error, which `reason` contains
    std::string reason = {};       // "rank 1 of 2 on node7 (process 17) was killed by SIGKILL"
    std::string activity = {};     // "training, episode 12, ..."; "" if unknown
    std::int64_t better_size = 0;  // the number of processes to try; 0: not known
};

// Returns the process that failed by itself, and not because another one did; of several, the
// first. Returns nullopt if none has failed.
std::optional<Failure> failure_of(const LaunchEnd& end, const Launch& launch);

// Returns the fix for a failure of a training in `size` processes, "--nproc 2" or
// "ptprun resume RUN --nproc 2"; "" if none is known, or the process's own error tells what to do:
// resumed as it is, the training would end with it again. `run` is the folder of a run that can be
// continued, "" for none.
std::string fix_of(const Failure& failure, std::int64_t size, const std::string& run);

// Returns 0, or the code of a signal that stopped all, if there is no failure.
int exit_code_of(const LaunchEnd& end);

// Decides how often a training is restarted after transient failures, and with how many processes.
class Restarts {
public:
    // Restarts at most `count` times, with at least `min_size` processes.
    Restarts(std::int64_t count, std::int64_t min_size) : left_(count), min_size_(min_size) {}

    // Returns the number of processes of the next attempt: one fewer if the same rank failed in two
    // attempts in a row. Returns nullopt for no further attempt.
    std::optional<std::int64_t> after(const Failure& failure, std::int64_t size);

    [[nodiscard]] std::int64_t done() const { return done_; }

private:
    std::int64_t left_;
    std::int64_t min_size_;
    std::int64_t done_ = 0;
    std::optional<std::int64_t> last_rank_;
};

}  // namespace ptp::distributed

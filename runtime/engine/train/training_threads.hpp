// The threads that compute a training: their number, and whether other processes use their cores.
//
// Operators divide their work among the threads and wait for the last of them. If another process
// keeps one of the cores busy, one thread is late in each of hundreds of operators of a step, and a
// step takes many times as long as with fewer threads.

#pragma once

#include "base/cores.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::engine {

class ThreadWatch {
public:
    struct Setup {
        std::int64_t threads = 1;  // the maximum, at the start
        std::int64_t cores = 1;    // available to them
        bool may_change = false;
        std::int64_t quota = 1;  // in cores, of the control group whose times are read
    };

    // The advice to be followed now.
    struct Advice {
        std::int64_t threads = 1;  // the number to compute with from now on
        std::string text;          // for users
    };

    // `now` are the times of this process and of the machine at the start.
    ThreadWatch(const Setup& setup, const CpuTimes& now)
        : setup_(setup), threads_(setup.threads), begin_(now) {}

    // Called after each episode with its duration in seconds. Returns whether it is time to judge:
    // once every two seconds of episodes.
    bool episode(double seconds);
    // Judges the episodes since the last time. Without `may_change` it returns advice once, and the
    // number of threads stays.
    std::optional<Advice> judge(const CpuTimes& now);

private:
    // The averages of several episodes.
    struct Stretch {
        double seconds = 0;  // the average duration of an episode
        double waiting = 0;  // the average number of this process's threads without a core
        double others = 0;   // the average number of cores used by other processes
        // The number of cores that these and this process share: all of the machine, or the quota
        // of the control group if that leaves less to this process.
        std::int64_t cores = 1;
    };
    Stretch measure(const CpuTimes& now);
    static bool has_room(const Stretch& stretch, std::int64_t threads);
    std::optional<Advice> slow(const Stretch& stretch);
    std::optional<Advice> quiet(const Stretch& stretch);

    Setup setup_;
    std::int64_t threads_;
    CpuTimes begin_;
    std::int64_t episodes_ = 0;  // since `begin_`
    double seconds_ = 0;         // their duration
    double best_ = 0;            // the fastest episode; 0: not known yet
    bool has_advised_ = false;
    int quiet_stretches_ = 0;
};

// [main] The log must outlive it.
class TrainingThreads {
public:
    // If `may_change`, their number follows the cores that other processes leave free.
    TrainingThreads(bool may_change, spdlog::logger& log);

    // Called after each episode with its duration in seconds.
    void episode(double seconds);

private:
    ThreadWatch watch_;
    spdlog::logger& log_;
};

// Returns "2 threads", or, if no number was set (`asked` is 0) and libtorch uses fewer than there
// are cores, also the way to use them all, or that fewer compute than `asked`. The last bits of the
// results depend on the number.
std::string threads_text(std::int64_t threads, std::int64_t cores, std::int64_t asked);

// Returns threads_text() for this process.
std::string threads_text();

}  // namespace ptp::engine

// Watches whether other processes use cores that the threads of a training need.
//
// Operators divide their work among the threads and wait for the last of them. If another process
// keeps one of the cores busy, one thread is late in each of hundreds of operators of a step, and a
// step takes many times as long as with fewer threads.

#pragma once

#include "base/cores.hpp"

#include <cstdint>
#include <functional>
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

    // `read` reports the times of this process and of the machine.
    ThreadWatch(const Setup& setup, std::function<CpuTimes()> read);

    // Called after each episode with its duration in seconds. Only measures once every two seconds
    // of episodes. Without `may_change` it returns advice once, and the number of threads stays.
    std::optional<Advice> episode(double seconds);

private:
    // The averages of several episodes.
    struct Stretch {
        double seconds = 0;  // the average duration of an episode
        double waiting = 0;  // the average number of this process's threads without a core
        double others = 0;   // the average number of cores used by other processes, ...
        // ... of these: the machine's, or those of the quota if fewer of it are left.
        std::int64_t cores = 1;
    };
    Stretch measure();
    static bool has_room(const Stretch& stretch, std::int64_t threads);
    std::optional<Advice> slow(const Stretch& stretch);
    std::optional<Advice> quiet(const Stretch& stretch);

    Setup setup_;
    std::function<CpuTimes()> read_;
    std::int64_t threads_;
    CpuTimes begin_;
    std::int64_t episodes_ = 0;  // since `begin_`
    double seconds_ = 0;         // their duration
    double best_ = 0;            // the fastest episode; 0: not known yet
    bool has_advised_ = false;
    int quiet_stretches_ = 0;
};

}  // namespace ptp::engine

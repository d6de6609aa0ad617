// Watches whether other processes take the cores from the threads of a training.
//
// Operators divide their work among the threads and wait for the last of them. Where another
// process keeps one of the cores busy, that one comes late in each of hundreds of operators of a
// step, and a step takes many times as long as with fewer threads.

#pragma once

#include "base/cpu_times.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ptp::engine {

class ThreadWatch {
public:
    struct Setup {
        std::int64_t threads = 1;  // that compute when it begins, at most
        std::int64_t cores = 1;    // that they may run on
        bool may_change = false;
        std::int64_t quota = 1;  // of cores, of the control group whose times are read
    };

    // What is to be done now.
    struct Advice {
        std::int64_t threads = 1;  // that are to compute from now on
        std::string text;          // for a person
    };

    // `read` reports the times of this process and of the machine.
    ThreadWatch(const Setup& setup, std::function<CpuTimes()> read);

    // After each episode, which took that many seconds. Costs nothing but every two seconds of
    // episodes. Without `may_change` it gives advice once, and the number of threads stays.
    std::optional<Advice> episode(double seconds);

private:
    // What a stretch of episodes was like.
    struct Stretch {
        double seconds = 0;  // of an episode, on average
        double waiting = 0;  // threads of this process that had no core, on average
        double others = 0;   // cores that other processes have kept busy, ...
        // ... of these: those of the machine, or of the quota where fewer of it are left.
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
    double seconds_ = 0;         // that they took
    double best_ = 0;            // of an episode; 0: not known yet
    bool has_advised_ = false;
    int quiet_stretches_ = 0;
};

}  // namespace ptp::engine

// The threads that compute a training: their number, and whether others use their cores.

#pragma once

#include "engine/train/thread_watch.hpp"

#include <spdlog/logger.h>

#include <string>

namespace ptp::engine {

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

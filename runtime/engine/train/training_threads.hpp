// The threads that compute a training: how many there are, and whether others take their cores.

#pragma once

#include "engine/train/thread_watch.hpp"

#include <spdlog/logger.h>

#include <string>

namespace ptp::engine {

// [main] The log must outlive it.
class TrainingThreads {
public:
    // `may_change`: their number follows the cores that other processes leave.
    TrainingThreads(bool may_change, spdlog::logger& log);

    // After each episode, which took that many seconds.
    void episode(double seconds);

private:
    ThreadWatch watch_;
    spdlog::logger& log_;
};

// "2 threads"; where no number was asked for and libtorch takes fewer than there are cores,
// with the way to use them all. The last bits of the results depend on it.
std::string threads_text(std::int64_t threads, std::int64_t cores, bool is_asked_for);

// The same for this process.
std::string threads_text();

}  // namespace ptp::engine

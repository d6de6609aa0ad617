// The threads that compute a training: how many there are, and whether others take their cores.

#pragma once

#include "engine/train/thread_watch.hpp"

#include <spdlog/logger.h>

#include <optional>
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

// Where libtorch uses fewer threads than there are cores, though no one has asked for that: how to
// use them all.
std::optional<std::string> unused_cores_advice(std::int64_t threads, std::int64_t cores,
                                               bool is_asked_for);

// The same for this process.
std::optional<std::string> unused_cores_advice();

}  // namespace ptp::engine

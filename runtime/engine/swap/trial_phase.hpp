// How far a trial has come, also where it is made in a child process.

#pragma once

#include "engine/swap/swap_error.hpp"

#include <atomic>

namespace ptp::engine {

// [any] In memory that a child process shares with its parent.
class TrialPhase {
public:
    // Throws std::runtime_error.
    explicit TrialPhase(SwapPhase first);
    ~TrialPhase();
    TrialPhase(const TrialPhase&) = delete;
    TrialPhase& operator=(const TrialPhase&) = delete;

    void enter(SwapPhase phase) { *shared_ = phase; }
    [[nodiscard]] SwapPhase current() const { return *shared_; }

private:
    std::atomic<SwapPhase>* shared_;
};

}  // namespace ptp::engine

// The phase that a trial has reached and why it was refused, even if it runs in a child process.

#pragma once

#include "engine/swap/swap_error.hpp"

#include <atomic>
#include <string>

namespace ptp::engine {

// [any] Kept in memory that a child process shares with its parent.
class TrialPhase {
public:
    // Throws std::runtime_error.
    explicit TrialPhase(SwapPhase first);
    ~TrialPhase();
    TrialPhase(const TrialPhase&) = delete;
    TrialPhase& operator=(const TrialPhase&) = delete;

    void enter(SwapPhase phase) { shared_->phase = phase; }
    [[nodiscard]] SwapPhase current() const { return shared_->phase; }

    // Notes an error of which only the explanation reaches the parent.
    void note(const SwapError& error);
    // Returns the noted error, or one of the current phase.
    [[nodiscard]] SwapError error(const Explanation& cause) const;

private:
    struct Shared {
        std::atomic<SwapPhase> phase;
        std::atomic<RefusedFor> refused_for = RefusedFor::kGood;
        std::atomic<ExitCode> code = kPluginError;
    };

    Shared* shared_;
};

}  // namespace ptp::engine

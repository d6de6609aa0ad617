// Runs a plugin's code for the first time: within a time limit, and without harm to the run.

#pragma once

#include "base/shared_memory.hpp"
#include "engine/swap/swap_error.hpp"

#include <c10/util/C++17.h>  // FunctionRef.h needs it
#include <c10/util/FunctionRef.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>

namespace ptp::engine {

using TrialLimit = std::chrono::duration<double>;

// Works in a child process with a copy of everything, which is lost afterwards; it only writes to
// the folder. The caller waits. Its exceptions are rethrown as std::runtime_error with their text,
// and so is a crash, with the call in which it happened, or work that exceeds the limit. [main]
void try_in_process(TrialLimit limit, const std::filesystem::path& folder,
                    c10::function_ref<void()> work);

// Does the same with work whose result the caller gets.
std::string result_in_process(TrialLimit limit, const std::filesystem::path& folder,
                              c10::function_ref<std::string()> work);

// [any] The phase that a trial has reached and why it was refused, in memory that a child process
// shares with its parent.
class TrialPhase {
public:
    // Throws std::system_error.
    explicit TrialPhase(SwapPhase first);

    void enter(SwapPhase phase) { shared_->phase = phase; }
    [[nodiscard]] SwapPhase current() const { return shared_->phase; }

    // Notes an error; only its explanation reaches the parent.
    void note(const SwapError& error);
    // Returns the noted error, or one of the current phase.
    [[nodiscard]] SwapError error(const Explanation& cause) const;

private:
    struct Shared {
        std::atomic<SwapPhase> phase{};
        std::atomic<RefusedFor> refused_for = RefusedFor::kGood;
        std::atomic<ExitCode> code = kPluginError;
    };

    SharedMemory<Shared> shared_;
};

}  // namespace ptp::engine

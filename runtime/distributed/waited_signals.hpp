// Signals for which a program that watches over others waits.

#pragma once

#include <chrono>
#include <csignal>
#include <initializer_list>

namespace ptp::distributed {

// Returns the exit code of a program that a signal has ended, or asked to end. Batch systems send
// SIGUSR1 before SIGTERM, with the same meaning.
constexpr int exit_code_for(int signal) {
    return 128 + (signal == SIGUSR1 ? SIGTERM : signal);
}

// Blocks SIGCHLD and these signals while it exists. SIGHUP and SIGTSTP stay ignored if this process
// ignores them, as under nohup. A shell script starts background programs with SIGINT ignored, but
// one sent to them is intended. [main], with no other thread that receives signals.
class WaitedSignals {
public:
    explicit WaitedSignals(std::initializer_list<int> signals);
    ~WaitedSignals();
    WaitedSignals(const WaitedSignals&) = delete;
    WaitedSignals& operator=(const WaitedSignals&) = delete;

    // Returns the next one, or 0 after this time without one, and at an interruption.
    [[nodiscard]] int wait(std::chrono::milliseconds limit) const;
    // Returns the next one, or 0 at an interruption.
    [[nodiscard]] int wait() const;

    // Returns the previously blocked signals.
    [[nodiscard]] const sigset_t& before() const { return before_; }

private:
    sigset_t set_{};
    sigset_t before_{};
};

}  // namespace ptp::distributed

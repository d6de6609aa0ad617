// Signals that a program which watches over others waits for.

#pragma once

#include <chrono>
#include <csignal>
#include <initializer_list>

namespace ptp::distributed {

// The exit code of a program that a signal has ended, or asked to end. Batch systems send SIGUSR1
// before SIGTERM, and mean the same.
constexpr int exit_code_for(int signal) {
    return 128 + (signal == SIGUSR1 ? SIGTERM : signal);
}

// Blocks SIGCHLD and these signals for as long as it lives. SIGHUP and SIGTSTP stay ignored where
// this process ignores them, as it does under nohup. A shell script starts programs in the
// background with SIGINT ignored; who sends one to them means them. [main], with no other thread
// that takes signals.
class WaitedSignals {
public:
    explicit WaitedSignals(std::initializer_list<int> signals);
    ~WaitedSignals();
    WaitedSignals(const WaitedSignals&) = delete;
    WaitedSignals& operator=(const WaitedSignals&) = delete;

    // The next one; 0 after this time without one, and at an interruption.
    [[nodiscard]] int wait(std::chrono::milliseconds limit) const;
    // The next one; 0 at an interruption.
    [[nodiscard]] int wait() const;

    // What was blocked before.
    [[nodiscard]] const sigset_t& before() const { return before_; }

private:
    sigset_t set_{};
    sigset_t before_{};
};

}  // namespace ptp::distributed

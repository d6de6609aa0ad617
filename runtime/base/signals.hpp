// The signals of crashes, and a guard that blocks signals in a thread.

#pragma once

#include <pthread.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <span>

namespace ptp {

// The signals that end a process because of what its code does. Other signals have other causes: an
// interrupt, a limit, a lack of memory.
inline constexpr std::array kCrashSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                             SIGABRT, SIGSYS, SIGTRAP};

inline bool is_crash_signal(int signal) {
    return std::ranges::find(kCrashSignals, signal) != kCrashSignals.end();
}

// Blocks all signals but these in this thread, and returns those that were blocked before.
inline sigset_t block_signals(std::span<const int> unblocked = {}) {
    sigset_t signals;
    sigset_t before;
    sigfillset(&signals);
    for (const int signal : unblocked) {
        sigdelset(&signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    return before;
}

// Blocks signals in this thread for its lifetime. A thread that is started meanwhile inherits that
// and never handles a signal: signals are left to the thread that waits for them.
class NoSignals {
public:
    explicit NoSignals(std::span<const int> unblocked = {}) : before_(block_signals(unblocked)) {}
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    sigset_t before_;
};

}  // namespace ptp

// Signals are for the thread that waits for them: another one has them blocked from its first
// moment where it is started under this guard.

#pragma once

#include <pthread.h>

#include <csignal>

namespace ptp {

class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    sigset_t before_{};
};

}  // namespace ptp

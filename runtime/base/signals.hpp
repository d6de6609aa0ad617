// A guard that blocks all signals in this thread for its lifetime. A thread that is started
// meanwhile inherits that and never handles a signal: signals are left to the thread that waits for
// them.

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

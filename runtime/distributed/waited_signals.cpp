// Blocks signals and waits for them.

#include "distributed/waited_signals.hpp"

#include <algorithm>
#include <ctime>

namespace ptp::distributed {

WaitedSignals::WaitedSignals(std::initializer_list<int> signals) {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    for (const int signal : signals) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        const bool may_be_ignored = signal == SIGHUP || signal == SIGTSTP;
        if (action.sa_handler != SIG_IGN || !may_be_ignored) {
            sigaddset(&set_, signal);
        }
    }
    sigprocmask(SIG_BLOCK, &set_, &before_);
}

WaitedSignals::~WaitedSignals() {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int WaitedSignals::wait(std::chrono::milliseconds limit) const {
    const timespec time{.tv_sec = limit.count() / 1000,
                        .tv_nsec = (limit.count() % 1000) * 1'000'000};
    return std::max(0, sigtimedwait(&set_, nullptr, &time));
}

int WaitedSignals::wait() const {
    return std::max(0, sigwaitinfo(&set_, nullptr));
}

}  // namespace ptp::distributed

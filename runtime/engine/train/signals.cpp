#include "engine/train/signals.hpp"

#include <atomic>

namespace ptp::engine {

namespace {

// A signal handler can reach nothing but a global.
std::atomic<int> last_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void remember(int signal) {
    last_signal = signal;
}

}  // namespace

Signals::Signals() : old_interrupt_{}, old_terminate_{} {
    last_signal = 0;
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
}

Signals::~Signals() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
}

int Signals::received() {
    return last_signal;
}

}  // namespace ptp::engine

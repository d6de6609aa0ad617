// Handlers that remember the last signal, for the training to look at.

#include "engine/distributed/signals.hpp"

#include "base/exit_code.hpp"
#include "distributed/program.hpp"
#include "run/status.hpp"

#include <atomic>

namespace ptp::engine {

namespace {

// A global: a signal handler can reach nothing else.
std::atomic<int> last_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

constexpr std::array kSignals = {SIGHUP, SIGINT, SIGTERM, SIGUSR1};

void remember(int signal) {
    last_signal = signal;
}

}  // namespace

Signals::Signals(Handlers handlers)
    : has_handlers_(handlers == Handlers::kInstall), old_actions_{} {
    last_signal = 0;
    if (!has_handlers_) {
        return;
    }
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &action, &old_actions_[i]);
    }
    if (old_actions_[0].sa_handler == SIG_IGN) {
        sigaction(SIGHUP, &old_actions_[0], nullptr);
    }
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, nullptr);
}

Signals::~Signals() {
    for (std::size_t i = 0; has_handlers_ && i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &old_actions_[i], nullptr);
    }
}

int Signals::received() {
    return last_signal;
}

void Signals::stop() {
    last_signal = kStopCall;
}

void Signals::receive(int signal) {
    last_signal = signal;
}

std::string Signals::name(int signal) {
    if (signal == kStopAfter) {
        return std::string(run::kStopAfterReason);
    }
    if (signal == kStopRequest) {
        return std::string(run::kStopRequestReason);
    }
    if (signal == kReplayEnd) {
        return "the end of the replayed run";
    }
    return signal == kStopCall ? "the program that runs it"
                               : "SIG" + std::string(sigabbrev_np(signal));
}

int Signals::exit_code(int signal) {
    if (signal == kStopAfter || signal == kStopRequest || signal == kReplayEnd) {
        return kDone;  // as requested
    }
    if (signal == kStopCall) {
        return kInterrupted;
    }
    return distributed::exit_code_for(signal);
}

}  // namespace ptp::engine

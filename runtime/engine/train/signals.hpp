// SIGHUP, SIGINT, SIGTERM and SIGUSR1, which batch systems send before they end a job, ask a run to
// end after its episode. A second one ends the process at once.

#pragma once

#include <array>
#include <csignal>
#include <string>

namespace ptp::engine {

// Listens as long as it lives; one at a time in a process. A SIGHUP that is ignored stays ignored,
// so that nohup works. SIGPIPE is ignored from then on, even when it is destroyed: a reader of the
// output that goes away must not end a training, nor the process that flushes its output. [main]
class Signals {
public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // The signal that came, or 0. [any]
    [[nodiscard]] static int received();

    // "SIGTERM", and the exit code of a run that it has ended.
    [[nodiscard]] static std::string name(int signal);
    [[nodiscard]] static int exit_code(int signal);

private:
    std::array<struct sigaction, 4> old_actions_;  // in the order of kSignals
};

}  // namespace ptp::engine

// SIGINT and SIGTERM ask a run to end after its episode. A second one ends the process at once.

#pragma once

#include <csignal>

namespace ptp::engine {

// Listens as long as it lives; one at a time in a process. [main]
class Signals {
public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // The signal that came, or 0. [any]
    [[nodiscard]] static int received();

private:
    struct sigaction old_interrupt_;
    struct sigaction old_terminate_;
};

}  // namespace ptp::engine

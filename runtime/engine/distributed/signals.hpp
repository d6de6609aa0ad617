// SIGHUP, SIGINT, SIGTERM and SIGUSR1, which batch systems send before they end a job, make a run
// stop after its episode. A second one ends the process at once.

#pragma once

#include <array>
#include <csignal>
#include <string>

namespace ptp::engine {

// Listens as long as it exists; at most one exists in a process. A SIGHUP that is ignored stays
// ignored, so that nohup works. SIGPIPE is ignored from then on, even after destruction: a reader
// of the output that exits must not end a training, nor the process that flushes its output.
// Without handlers, in a program with its own signals, only stop() ends a run. [main]
class Signals {
public:
    enum class Handlers { kInstall, kNone };

    explicit Signals(Handlers handlers = Handlers::kInstall);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // Returns the received signal, kStopCall, or 0. [any]
    [[nodiscard]] static int received();

    // Acts as a received signal; not before the first Signals exists, which resets it. [any]
    static void stop();
    static constexpr int kStopCall = -1;
    // received() returns this when the training has reached RunRequest::stop_after.
    static constexpr int kStopAfter = -2;
    // received() returns this after a request to stop, by `ptprun control RUN stop`.
    static constexpr int kStopRequest = -3;
    // received() returns this where a replay has come to the place at which the run was stopped.
    static constexpr int kReplayEnd = -4;

    // Acts as this signal, which another process of the same training has received. [any]
    static void receive(int signal);

    // Return "SIGTERM", or "the program that runs it", and the exit code of a run that it has
    // ended.
    [[nodiscard]] static std::string name(int signal);
    [[nodiscard]] static int exit_code(int signal);

private:
    bool has_handlers_;
    std::array<struct sigaction, 4> old_actions_;  // in the order of kSignals
};

}  // namespace ptp::engine

// SIGHUP, SIGINT, SIGTERM and SIGUSR1, which batch systems send before they end a job, ask a run to
// end after its episode. A second one ends the process at once.

#pragma once

#include <array>
#include <csignal>
#include <string>

namespace ptp::engine {

// Listens as long as it lives; one at a time in a process. A SIGHUP that is ignored stays ignored,
// so that nohup works. SIGPIPE is ignored from then on, even when it is destroyed: a reader of the
// output that goes away must not end a training, nor the process that flushes its output. Without
// handlers, in a program whose signals are its own, only stop() ends a run. [main]
class Signals {
public:
    enum class Handlers { kInstall, kNone };

    explicit Signals(Handlers handlers = Handlers::kInstall);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // The signal that came, or kStopCall, or 0. [any]
    [[nodiscard]] static int received();

    // As if a signal came; not before the first Signals lives, which forgets it. [any]
    static void stop();
    static constexpr int kStopCall = -1;
    // What the training takes for one where it has come to RunRequest::stop_after.
    static constexpr int kStopAfter = -2;
    // What it takes for one where it has been asked to stop, by `ptprun control RUN stop`.
    static constexpr int kStopRequest = -3;

    // As if this one came: another process of the same training has received it. [any]
    static void receive(int signal);

    // "SIGTERM", or "the program that runs it", and the exit code of a run that it has ended.
    [[nodiscard]] static std::string name(int signal);
    [[nodiscard]] static int exit_code(int signal);

private:
    bool has_handlers_;
    std::array<struct sigaction, 4> old_actions_;  // in the order of kSignals
};

}  // namespace ptp::engine

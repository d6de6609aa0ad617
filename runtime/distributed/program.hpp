// Programs that this process starts, and the signals for which it waits while it watches them.

#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace ptp::distributed {

struct Program {
    std::filesystem::path path = {};
    std::vector<std::string> arguments = {};
    std::map<std::string, std::string> variables = {};  // besides those of this process
    std::filesystem::path output = {};  // for its output and errors; empty: those of this process
    bool is_appended = false;           // to the content of `output`
    sigset_t blocked = {};              // signals
};

// Starts it with an empty input, in a process group of its own, so that a terminal's Ctrl-C reaches
// it only through this process. It gets SIGTERM when this process ends, even if that is killed.
// Throws RunError with kTrainingError if `output` cannot be written, or if it cannot be started.
// [main]
pid_t start(const Program& program);

// Starts it and waits until it ends. Returns its exit code, also for an end by a signal.
int run(const Program& program);

// Returns the exit code of a program that a signal has ended, or asked to end. Batch systems send
// SIGUSR1 before SIGTERM, with the same meaning.
constexpr int exit_code_for(int signal) {
    return 128 + (signal == SIGUSR1 ? SIGTERM : signal);
}

// Blocks SIGCHLD and these signals while it exists. SIGHUP and SIGTSTP stay ignored if this process
// ignores them, as under nohup. A shell script starts background programs with SIGINT ignored, but
// one sent to them is intended. [main], with no other thread that receives signals.
class WaitedSignals {
public:
    explicit WaitedSignals(std::initializer_list<int> signals);
    ~WaitedSignals();
    WaitedSignals(const WaitedSignals&) = delete;
    WaitedSignals& operator=(const WaitedSignals&) = delete;

    // Returns the next one, or 0 after this time without one, and at an interruption.
    [[nodiscard]] int wait(std::chrono::milliseconds limit) const;
    // Returns the next one, or 0 at an interruption.
    [[nodiscard]] int wait() const;

    // Returns the previously blocked signals.
    [[nodiscard]] const sigset_t& before() const { return before_; }

private:
    sigset_t set_{};
    sigset_t before_{};
};

}  // namespace ptp::distributed

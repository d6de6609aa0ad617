// Starts the processes of a training, passes signals on to them, and ends all after a failure.

#include "distributed/launcher.hpp"

#include "base/error.hpp"
#include "distributed/held_port.hpp"
#include "distributed/place.hpp"
#include "distributed/program.hpp"
#include "distributed/secret.hpp"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <csignal>
#include <utility>

namespace ptp::distributed {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{200};
constexpr std::chrono::seconds kLeft{10};  // after SIGKILL

struct Running {
    std::int64_t rank = 0;
    pid_t pid = 0;
    std::uint64_t beats = 0;
    Clock::time_point last_beat;  // or when its absence was last excused
    bool is_hung = false;
    bool is_halted = false;
    bool was_asked_to_end = false;
};

class Launcher {
public:
    explicit Launcher(const Launch& launch) : launch_(launch) {
        assert(std::ssize(launch.logs) == launch.size && std::ssize(launch.states) == launch.size);
    }

    LaunchEnd run() {
        for (std::int64_t rank = 0; rank < launch_.size && end_.problem.empty(); ++rank) {
            begin(rank);
        }
        if (!end_.problem.empty()) {
            signal_all(SIGKILL);
        }
        while (!running_.empty()) {
            take(signals_.wait(kLook));
            look_for_hung();
            stop_others();
        }
        return end_;
    }

private:
    void begin(std::int64_t rank) {
        std::error_code ignored;
        std::filesystem::remove(state_of(rank), ignored);
        Program program{.path = launch_.program,
                        .arguments = launch_.arguments,
                        .variables = launch_.variables,
                        .output = rank == 0 ? std::filesystem::path()
                                            : launch_.logs[static_cast<std::size_t>(rank)],
                        .is_appended = true,
                        .blocked = signals_.before()};
        program.variables[kLauncherVariable] = fmt::format("{}", getpid());
        program.variables["RANK"] = program.variables["LOCAL_RANK"] = fmt::format("{}", rank);
        program.variables["WORLD_SIZE"] = program.variables["LOCAL_WORLD_SIZE"] =
            fmt::format("{}", launch_.size);
        program.variables[kSecretVariable] = secret_;
        program.variables["MASTER_ADDR"] = "127.0.0.1";
        program.variables["MASTER_PORT"] = fmt::format("{}", port_.number());
        try {
            running_.push_back({.rank = rank, .pid = start(program), .last_beat = Clock::now()});
        } catch (const RunError& error) {
            end_.problem = fmt::format("rank {} of {}: {}", rank, launch_.size, error.what());
        }
    }

    void take(int signal) {
        if (signal == SIGTSTP) {
            send(SIGSTOP);
            raise(SIGSTOP);
        } else if (signal == SIGCONT) {
            send(SIGCONT);
            for (Running& one : running_) {
                one.last_beat = Clock::now();
            }
        } else if (signal != 0 && signal != SIGCHLD) {
            end_.signal = signal;
            send(signal);
        }
        collect();
    }

    [[nodiscard]] const std::filesystem::path& state_of(std::int64_t rank) const {
        return launch_.states[static_cast<std::size_t>(rank)];
    }

    void send(int signal) {
        for (const Running& one : running_) {
            kill(one.pid, signal);
        }
    }

    void signal_all(int signal) {
        for (Running& one : running_) {
            one.was_asked_to_end = true;
        }
        send(signal);
        // A halted process receives no other signal than SIGKILL.
        send(SIGCONT);
    }

    // Collects all ended processes: one SIGCHLD may announce several.
    void collect() {
        for (std::size_t i = 0; i < running_.size();) {
            int status = 0;
            Running& one = running_[i];
            if (waitpid(one.pid, &status, WNOHANG | WUNTRACED | WCONTINUED) != one.pid) {
                ++i;
            } else if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
                one.is_halted = WIFSTOPPED(status);
            } else {
                add_end(one, status);
                running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }

    RankEnd end_of(const Running& one) const {
        return {.rank = one.rank,
                .pid = one.pid,
                .is_hung = one.is_hung,
                .was_halted = one.is_halted,
                .was_asked_to_end = one.was_asked_to_end,
                .status = read_rank_state(state_of(one.rank))};
    }

    void add_end(const Running& one, int status) {
        RankEnd end = end_of(one);
        end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        end.code = end.signal != 0 ? exit_code_for(end.signal) : WEXITSTATUS(status);
        if (is_failure(end) && !failed_at_) {
            failed_at_ = Clock::now();
        }
        end_.ranks.push_back(std::move(end));
    }

    // Checks only processes that have begun to beat, or were halted by a signal before that: the
    // time to load libraries is not limited.
    void look_for_hung() {
        const Clock::time_point now = Clock::now();
        for (Running& one : running_) {
            const auto status = read_rank_state(state_of(one.rank));
            const std::uint64_t beats = status ? status->beats : 0;
            if ((beats == 0 && !one.is_halted) || beats != one.beats) {
                one.beats = beats;
                one.last_beat = now;
            } else if (now - one.last_beat > launch_.timeout && !one.was_asked_to_end) {
                one.is_hung = one.was_asked_to_end = true;
                note_hung(state_of(one.rank));
                kill(one.pid, SIGKILL);
                failed_at_ = failed_at_.value_or(now);
            }
        }
    }

    void stop_others() {
        if (!failed_at_ || running_.empty()) {
            return;
        }
        const auto since = Clock::now() - *failed_at_;
        if (since > launch_.patience + launch_.grace + kLeft && is_killed_) {
            leave_all();
        } else if (since > launch_.patience + launch_.grace && !is_killed_) {
            is_killed_ = true;
            signal_all(SIGKILL);
        } else if (since > launch_.patience && !is_asked_) {
            is_asked_ = true;
            signal_all(SIGTERM);
        }
    }

    // Gives up: the kernel does not end processes that wait for an unresponsive device or file
    // system.
    void leave_all() {
        for (const Running& one : running_) {
            RankEnd end = end_of(one);
            end.is_stuck = true;
            end.code = kPeerLost;
            end_.ranks.push_back(std::move(end));
        }
        running_.clear();
    }

    const Launch& launch_;
    const HeldPort port_;
    const std::string secret_ = new_secret();  // only for these processes
    const WaitedSignals signals_{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGTSTP, SIGCONT};
    std::vector<Running> running_;
    std::optional<Clock::time_point> failed_at_;
    bool is_asked_ = false;
    bool is_killed_ = false;
    LaunchEnd end_;
};

}  // namespace

bool is_failure(const RankEnd& end) {
    const bool is_stopped =
        end.code == kHungUp || end.code == kInterrupted || end.code == kTerminated;
    return end.code != kDone && (end.signal != 0 || !is_stopped);
}

LaunchEnd run_processes(const Launch& launch) {
    return Launcher(launch).run();
}

}  // namespace ptp::distributed

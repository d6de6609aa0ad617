#include "job_queue.hpp"

#include "base/exit_code.hpp"
#include "plugin/search_path.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <system_error>

namespace ptp::ptprun {

namespace {

constexpr int kCannotBegin = 126;
constexpr int kNotBegun = -1;

// Blocks the signals that the queue waits for, for as long as it lives. A signal that this process
// ignores, as under nohup, stays ignored.
class WaitedSignals {
public:
    WaitedSignals() {
        sigemptyset(&set_);
        for (const int signal : {SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGUSR1}) {
            struct sigaction action {};
            sigaction(signal, nullptr, &action);
            if (action.sa_handler != SIG_IGN || signal == SIGCHLD) {
                sigaddset(&set_, signal);
            }
        }
        sigprocmask(SIG_BLOCK, &set_, &before_);
    }
    ~WaitedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    WaitedSignals(const WaitedSignals&) = delete;
    WaitedSignals& operator=(const WaitedSignals&) = delete;

    [[nodiscard]] int wait() const { return sigwaitinfo(&set_, nullptr); }
    [[nodiscard]] const sigset_t& before() const { return before_; }

private:
    sigset_t set_{};
    sigset_t before_{};
};

// In the child: nothing but calls that are safe after a fork.
[[noreturn]] void become(const char* program, char* const* words, int output, pid_t parent,
                         const sigset_t& mask) {
    setpgid(0, 0);  // a terminal's Ctrl-C comes from the parent, once
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int from = open("/dev/null", O_RDONLY);
    if (from < 0 || getppid() != parent) {
        _exit(kCannotBegin);
    }
    dup2(from, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    execv(program, words);
    _exit(kCannotBegin);
}

pid_t begin(const Job& job, int output, const sigset_t& mask) {
    const std::string program = plugin::executable_path().string();
    std::vector<char*> words = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : job.arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        become(program.c_str(), words.data(), output, parent, mask);
    }
    const int reason = errno;
    close(output);
    if (child < 0) {
        throw std::system_error(reason, std::generic_category(), "no process can be made");
    }
    return child;
}

class Queue {
public:
    Queue(const std::vector<Job>& jobs, std::size_t most, const QueueEvents& events)
        : jobs_(jobs), most_(std::max<std::size_t>(most, 1)), events_(events) {
        end_.codes.assign(jobs.size(), kNotBegun);
    }

    QueueEnd run() {
        begin_more();
        while (!running_.empty()) {
            const int signal = signals_.wait();
            if (signal == SIGCHLD) {
                collect();
                begin_more();
            } else if (signal > 0) {
                end_.signal = signal;
                for (const auto& [child, job] : running_) {
                    kill(child, signal);
                }
            }
        }
        return end_;
    }

private:
    void begin_more() {
        while (end_.signal == 0 && next_ < jobs_.size() && running_.size() < most_) {
            const std::size_t job = next_++;
            events_.begun(job);
            const Job& next = jobs_[job];
            const int output =
                open(next.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
            if (output < 0) {
                refuse(job, errno);
            } else {
                running_[begin(next, output, signals_.before())] = job;
            }
        }
    }

    void refuse(std::size_t job, int reason) {
        end_.codes[job] = kTrainingError;
        if (events_.refused) {
            events_.refused(job, fmt::format("cannot write {}: {}", jobs_[job].output.string(),
                                             std::generic_category().message(reason)));
        }
    }

    // One SIGCHLD may stand for several ends.
    void collect() {
        for (auto it = running_.begin(); it != running_.end();) {
            int status = 0;
            if (waitpid(it->first, &status, WNOHANG) != it->first) {
                ++it;
                continue;
            }
            const std::size_t job = it->second;
            it = running_.erase(it);
            end_.codes[job] = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            events_.ended(job, end_.codes[job]);
        }
    }

    const std::vector<Job>& jobs_;
    std::size_t most_;
    const QueueEvents& events_;
    const WaitedSignals signals_;
    std::map<pid_t, std::size_t> running_;
    std::size_t next_ = 0;
    QueueEnd end_;
};

}  // namespace

QueueEnd run_jobs(const std::vector<Job>& jobs, std::size_t most, const QueueEvents& events) {
    return Queue(jobs, most, events).run();
}

}  // namespace ptp::ptprun

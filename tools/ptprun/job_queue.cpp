#include "job_queue.hpp"

#include "base/descriptor.hpp"
#include "base/exit_code.hpp"
#include "plugin/search_path.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/posix.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <system_error>

namespace ptp::ptprun {

namespace {

namespace fs = std::filesystem;
namespace process = boost::process;

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

// What a job does before it becomes the program: nothing but calls that are safe after a fork.
class JobSetup : public process::extend::handler {
public:
    explicit JobSetup(const sigset_t& mask) : mask_(mask), parent_(getpid()) {}

    template <class Executor>
    void on_exec_setup(Executor&) const {
        setpgid(0, 0);  // a terminal's Ctrl-C comes from the parent, once
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent_) {
            _exit(kCannotBegin);
        }
        sigprocmask(SIG_SETMASK, &mask_, nullptr);
    }

private:
    sigset_t mask_;
    pid_t parent_;
};

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
            begin(job);
        }
    }

    void begin(std::size_t job) {
        const fs::path& path = jobs_[job].output;
        const Descriptor output(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (!output.is_open()) {
            refuse(job, fmt::format("cannot write {}: {}", path.string(),
                                    std::generic_category().message(errno)));
            return;
        }
        std::error_code error;
        process::child child(plugin::executable_path().string(), jobs_[job].arguments,
                             process::std_in < process::null,
                             process::posix::fd.bind(STDOUT_FILENO, output.get()),
                             process::posix::fd.bind(STDERR_FILENO, output.get()),
                             JobSetup(signals_.before()), error);
        if (error) {
            refuse(job, fmt::format("cannot be started: {}", error.message()));
            return;
        }
        running_[child.id()] = job;
        child.detach();
    }

    void refuse(std::size_t job, const std::string& reason) {
        end_.codes[job] = kTrainingError;
        if (events_.refused) {
            events_.refused(job, reason);
        }
    }

    // One SIGCHLD may announce several ends.
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

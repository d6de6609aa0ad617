// Runs several ptprun at a time, and passes signals on to them.

#include "ptp-search/job_queue.hpp"

#include "base/error.hpp"
#include "distributed/program.hpp"
#include "distributed/waited_signals.hpp"
#include "ptprun/command_line.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <map>

namespace ptp::search {

namespace {

constexpr int kNotBegun = -1;

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
        while (end_.signal == 0 && !is_over_ && next_ < jobs_.size() && running_.size() < most_) {
            begin(next_++);
        }
    }

    void begin(std::size_t job) {
        try {
            const std::optional<Job> what = events_.claim ? events_.claim(job) : jobs_[job];
            if (!what) {
                return;
            }
            events_.begun(job);
            running_[distributed::start({.path = ptprun::beside("ptprun"),
                                         .arguments = what->arguments,
                                         .output = what->output,
                                         .is_appended = what->is_appended,
                                         .blocked = signals_.before()})] = job;
        } catch (const RunError& error) {
            refuse(job, error.what());
        }
    }

    void refuse(std::size_t job, const std::string& reason) {
        end_.codes[job] = kTrainingError;
        if (events_.refused) {
            events_.refused(job, reason);
        }
    }

    // One SIGCHLD may announce several ends. A signal is passed to all running jobs, and no job is
    // started after it.
    void collect() {
        for (auto it = running_.begin(); it != running_.end();) {
            int status = 0;
            if (waitpid(it->first, &status, WNOHANG) != it->first) {
                ++it;
                continue;
            }
            const std::size_t job = it->second;
            it = running_.erase(it);
            end_.codes[job] = WIFSIGNALED(status) ? distributed::exit_code_for(WTERMSIG(status))
                                                  : WEXITSTATUS(status);
            const JobEnd end = {end_.codes[job], end_.signal};
            events_.ended(job, end);
            is_over_ = is_over_ || (events_.is_last && events_.is_last(job, end));
        }
    }

    const std::vector<Job>& jobs_;
    std::size_t most_;
    const QueueEvents& events_;
    const distributed::WaitedSignals signals_{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    std::map<pid_t, std::size_t> running_;
    std::size_t next_ = 0;
    bool is_over_ = false;
    QueueEnd end_;
};

}  // namespace

QueueEnd run_jobs(const std::vector<Job>& jobs, std::size_t most, const QueueEvents& events) {
    return Queue(jobs, most, events).run();
}

}  // namespace ptp::search

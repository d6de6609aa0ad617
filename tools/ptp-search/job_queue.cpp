// Runs several ptprun at a time, and passes signals on to them.

#include "ptp-search/planned_runs.hpp"

#include "base/error.hpp"
#include "distributed/program.hpp"
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
    Queue(Jobs& jobs, std::size_t count, std::size_t most)
        : jobs_(jobs), most_(std::max<std::size_t>(most, 1)) {
        end_.codes.assign(count, kNotBegun);
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
        while (end_.signal == 0 && !is_over_ && next_ < end_.codes.size() &&
               running_.size() < most_) {
            begin(next_++);
        }
    }

    void begin(std::size_t job) {
        try {
            const std::optional<Job> what = jobs_.claim(job);
            if (!what) {
                return;
            }
            jobs_.begun(job);
            running_[distributed::start({.path = ptprun::beside("ptprun"),
                                         .arguments = what->arguments,
                                         .output = what->output,
                                         .is_appended = what->is_appended,
                                         .blocked = signals_.before()})] = job;
        } catch (const RunError& error) {
            end_.codes[job] = kTrainingError;
            jobs_.refused(job, error.what());
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
            jobs_.ended(job, end);
            is_over_ = is_over_ || jobs_.is_last(job, end);
        }
    }

    Jobs& jobs_;
    std::size_t most_;
    const distributed::WaitedSignals signals_{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    std::map<pid_t, std::size_t> running_;
    std::size_t next_ = 0;
    bool is_over_ = false;
    QueueEnd end_;
};

}  // namespace

QueueEnd run_jobs(Jobs& jobs, std::size_t count, std::size_t most) {
    return Queue(jobs, count, most).run();
}

}  // namespace ptp::search

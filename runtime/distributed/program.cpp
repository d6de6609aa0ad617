// Starts a program by Boost.Process, with the setup that a child of a launcher needs, and waits for
// signals.

#include "distributed/program.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/posix.hpp>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>

namespace ptp::distributed {

namespace {

namespace process = boost::process;

constexpr int kCannotBegin = 126;

// The setup of a child before it becomes the program: only calls that are safe after a fork.
class ProgramSetup : public process::extend::handler {
public:
    explicit ProgramSetup(const sigset_t& blocked) : blocked_(blocked), parent_(getpid()) {}

    template <class Executor>
    void on_exec_setup(Executor&) const {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent_) {
            _exit(kCannotBegin);
        }
        sigprocmask(SIG_SETMASK, &blocked_, nullptr);
    }

private:
    sigset_t blocked_;
    pid_t parent_;
};

Descriptor output_of(const Program& program) {
    if (program.output.empty()) {
        return Descriptor(-1);
    }
    const int how = program.is_appended ? O_APPEND : O_TRUNC;
    Descriptor output(
        open(program.output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | how, 0666));
    if (!output.is_open()) {
        throw RunError(kTrainingError, fmt::format("cannot write {}: {}", program.output.string(),
                                                   std::generic_category().message(errno)));
    }
    return output;
}

}  // namespace

pid_t start(const Program& program) {
    const Descriptor file = output_of(program);
    const int output = file.is_open() ? file.get() : STDOUT_FILENO;
    const int errors = file.is_open() ? file.get() : STDERR_FILENO;
    process::environment variables = boost::this_process::environment();
    for (const auto& [name, value] : program.variables) {
        variables.set(name, value);  // variables[name] reads beyond the end of shorter ones
    }
    std::error_code error;
    process::child child(
        program.path.string(), program.arguments, variables, process::std_in < process::null,
        process::posix::fd.bind(STDOUT_FILENO, output),
        process::posix::fd.bind(STDERR_FILENO, errors), ProgramSetup(program.blocked), error);
    if (error) {
        throw RunError(kTrainingError, fmt::format("cannot be started: {}", error.message()));
    }
    const pid_t number = child.id();
    child.detach();
    return number;
}

int run(const Program& program) {
    const pid_t number = start(program);
    int status = 0;
    while (waitpid(number, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : exit_code_for(WTERMSIG(status));
}

WaitedSignals::WaitedSignals(std::initializer_list<int> signals) {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    for (const int signal : signals) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        const bool may_be_ignored = signal == SIGHUP || signal == SIGTSTP;
        if (action.sa_handler != SIG_IGN || !may_be_ignored) {
            sigaddset(&set_, signal);
        }
    }
    sigprocmask(SIG_BLOCK, &set_, &before_);
}

WaitedSignals::~WaitedSignals() {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int WaitedSignals::wait(std::chrono::milliseconds limit) const {
    const timespec time{.tv_sec = limit.count() / 1000,
                        .tv_nsec = (limit.count() % 1000) * 1'000'000};
    return std::max(0, sigtimedwait(&set_, nullptr, &time));
}

int WaitedSignals::wait() const {
    return std::max(0, sigwaitinfo(&set_, nullptr));
}

}  // namespace ptp::distributed

#include "child.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>

namespace ptp::inspect {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void work_as_child(const std::function<std::string()>& work, int pipe_end) {
    const rlimit no_core_dump{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core_dump);
    // A sanitizer's own handler would end the process with a status instead of the signal.
    std::signal(SIGSEGV, SIG_DFL);
    const std::string output = work();
    std::size_t done = 0;
    while (done < output.size()) {
        const ssize_t written = ::write(pipe_end, output.data() + done, output.size() - done);
        if (written <= 0) {
            ::_exit(EXIT_FAILURE);
        }
        done += static_cast<std::size_t>(written);
    }
    ::_exit(EXIT_SUCCESS);
}

// Reads until the child closes its end, or the time is up.
bool read_all(int pipe_end, Clock::time_point deadline, std::string& output) {
    std::array<char, 4096> buffer;
    while (true) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            return false;
        }
        pollfd waiting{pipe_end, POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) {
            continue;
        }
        const ssize_t got = ::read(pipe_end, buffer.data(), buffer.size());
        if (got <= 0) {
            return true;
        }
        output.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

std::string failure_of(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return fmt::format("ended by signal {} ({})", signal, ::strsignal(signal));
    }
    const int code = WEXITSTATUS(status);
    return code == 0 ? "" : fmt::format("ended with exit status {}", code);
}

}  // namespace

ChildResult run_in_child(const std::function<std::string()>& work, int time_limit_s) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    }
    const pid_t child = ::fork();
    if (child < 0) {
        throw std::system_error(errno, std::generic_category(), "cannot start a process");
    }
    if (child == 0) {
        ::close(ends[0]);
        work_as_child(work, ends[1]);
    }
    ::close(ends[1]);
    ChildResult result;
    const bool ended =
        read_all(ends[0], Clock::now() + std::chrono::seconds(time_limit_s), result.output);
    ::close(ends[0]);
    if (!ended) {
        ::kill(child, SIGKILL);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.failure =
        ended ? failure_of(status) : fmt::format("took longer than {} s", time_limit_s);
    return result;
}

}  // namespace ptp::inspect

// Runs work in a fork with a pipe for its output, a process group of its own and a time limit.

#include "base/child_process.hpp"

#include "base/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <system_error>

namespace ptp {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void cannot_start(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

[[noreturn]] void work_as_child(const std::function<std::string()>& work, int pipe_end) {
    const std::string output = work();
    std::size_t done = 0;
    while (done < output.size()) {
        const ssize_t written = ::write(pipe_end, output.data() + done, output.size() - done);
        if (written < 0 && errno != EINTR) {
            ::_exit(EXIT_FAILURE);
        }
        done += written > 0 ? static_cast<std::size_t>(written) : 0;
    }
    ::_exit(EXIT_SUCCESS);
}

// Makes this child the leader of a process group, so that its own children can be killed with it.
// An interrupt from the terminal reaches only the parent, and the child dies with the parent.
void separate_from(pid_t parent) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(EXIT_FAILURE);  // the parent has ended before prctl()
    }
    for (const int signal : {SIGTTIN, SIGTTOU}) {  // otherwise the terminal stops the child
        static_cast<void>(std::signal(signal, SIG_IGN));
    }
}

enum class Reading { kMore, kNothingYet, kDone };

// Reads what the pipe contains now, with at most one read().
Reading read_some(int pipe_end, std::string& output) {
    std::array<char, 4096> piece{};
    const ssize_t got = ::read(pipe_end, piece.data(), piece.size());
    if (got < 0) {
        return Reading::kNothingYet;
    }
    output.append(piece.data(), static_cast<std::size_t>(got));
    return got == 0 ? Reading::kDone : Reading::kMore;
}

// Leaves the child to waitpid(), so that its process id is not reused.
bool has_ended(pid_t child) {
    siginfo_t info{};
    const int result =
        ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    return result != 0 || info.si_pid == child;
}

// Reads until the child ends; returns false if the deadline passes first. The pipe may stay open
// after the child's end: processes that the child has started hold its write end too.
bool read_until_end(pid_t child, int pipe_end, Clock::time_point deadline, std::string& output) {
    constexpr int kLookMs = 20;  // the longest delay in noticing its end while the pipe is open
    bool is_open = true;
    while (!has_ended(child)) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) {
            return false;
        }
        pollfd waiting{.fd = pipe_end, .events = POLLIN, .revents = 0};
        const auto pause = static_cast<int>(std::min<std::int64_t>(left, is_open ? kLookMs : 1));
        if (::poll(&waiting, is_open ? 1 : 0, pause) > 0) {
            is_open = read_some(pipe_end, output) != Reading::kDone;
        }
    }
    while (is_open && Clock::now() < deadline && read_some(pipe_end, output) == Reading::kMore) {
    }
    return true;
}

}  // namespace

ChildEnd run_in_child(const std::function<std::string()>& work,
                      std::chrono::duration<double> limit) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        cannot_start("cannot make a pipe");
    }
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        cannot_start("cannot start a process");
    }
    if (child == 0) {
        separate_from(parent);
        ::close(reading.get());
        work_as_child(work, writing.get());
    }
    ::setpgid(child, child);  // set by whichever process comes first
    writing = Descriptor();   // so that the end of the child is noticed
    ChildEnd end;
    end.has_timed_out = !read_until_end(child, reading.get(), deadline, end.output);
    if (end.has_timed_out) {
        ::kill(child, SIGKILL);
    }
    ::kill(-child, SIGKILL);  // the processes that it has started
    while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
    }
    return end;
}

}  // namespace ptp

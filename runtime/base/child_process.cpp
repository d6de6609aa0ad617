#include "base/child_process.hpp"

#include "base/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
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

// Reads until the child closes its end; false where the time is up before.
bool read_all(int pipe_end, Clock::time_point deadline, std::string& output) {
    std::array<char, 4096> piece{};
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) {
            return false;
        }
        pollfd waiting{.fd = pipe_end, .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, INT_MAX))) <= 0) {
            continue;
        }
        const ssize_t got = ::read(pipe_end, piece.data(), piece.size());
        if (got == 0) {
            return true;
        }
        output.append(piece.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    }
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
    const pid_t child = ::fork();
    if (child < 0) {
        cannot_start("cannot start a process");
    }
    if (child == 0) {
        ::close(reading.get());
        work_as_child(work, writing.get());
    }
    writing = Descriptor();  // so that the child's end is seen
    ChildEnd end;
    end.has_timed_out = !read_all(reading.get(), deadline, end.output);
    if (end.has_timed_out) {
        ::kill(child, SIGKILL);
    }
    while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
    }
    return end;
}

}  // namespace ptp

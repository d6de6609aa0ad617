#include "base/child_process.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

namespace child_process_test {

using namespace ptp;

namespace {

constexpr std::chrono::hours kLong(1);

std::ptrdiff_t open_descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

[[noreturn]] void pause_forever() {
    while (true) {
        ::pause();
    }
}

// A pipe that all processes have which are started from now on.
class Life {
public:
    Life() { REQUIRE(::pipe(ends_.data()) == 0); }
    ~Life() { ::close(ends_[0]); }
    Life(const Life&) = delete;
    Life& operator=(const Life&) = delete;

    // Whether all of them end.
    bool has_ended() {
        ::close(ends_[1]);
        pollfd end{.fd = ends_[0], .events = POLLIN, .revents = 0};
        constexpr int kLongMs = 60000;
        return ::poll(&end, 1, kLongMs) == 1;
    }

private:
    std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("child process: what the work returns comes back, and nothing else of it") {
    int number = 1;
    const std::string text(1 << 20, 'x');  // more than a pipe holds
    const ChildEnd end = run_in_child(
        [&] {
            number = 2;
            return text + std::to_string(number);
        },
        kLong);
    CHECK(end.output == text + "2");
    CHECK_FALSE(end.has_timed_out);
    CHECK(WIFEXITED(end.status));
    CHECK(WEXITSTATUS(end.status) == 0);
    CHECK(number == 1);
}

TEST_CASE("child process: a signal or an exit status is reported, without output") {
    const ChildEnd killed = run_in_child(
        [] {
            ::raise(SIGKILL);
            return std::string("never");
        },
        kLong);
    CHECK(WIFSIGNALED(killed.status));
    CHECK(WTERMSIG(killed.status) == SIGKILL);
    CHECK(killed.output.empty());
    CHECK_FALSE(killed.has_timed_out);
    const ChildEnd ended = run_in_child([]() -> std::string { ::_exit(7); }, kLong);
    CHECK(WEXITSTATUS(ended.status) == 7);
    CHECK(ended.output.empty());
}

TEST_CASE("child process: after the limit it is killed") {
    for (const auto limit : {std::chrono::milliseconds(0), std::chrono::milliseconds(10)}) {
        const ChildEnd end = run_in_child([]() -> std::string { pause_forever(); }, limit);
        CHECK(end.has_timed_out);
        CHECK(WIFSIGNALED(end.status));
        CHECK(WTERMSIG(end.status) == SIGKILL);
    }
}

TEST_CASE("child process: a process that it has left behind neither delays its end nor survives") {
    for (const bool is_hanging : {false, true}) {
        CAPTURE(is_hanging);
        Life life;
        const ChildEnd end = run_in_child(
            [&] {
                if (::fork() == 0 || is_hanging) {
                    pause_forever();
                }
                return std::string("done");
            },
            is_hanging ? std::chrono::milliseconds(10) : std::chrono::milliseconds(kLong));
        CHECK(end.has_timed_out == is_hanging);
        CHECK(end.output == (is_hanging ? "" : "done"));
        CHECK(life.has_ended());
    }
}

TEST_CASE("child process: it ends with the process that has started it") {
    Life life;
    const ChildEnd end = run_in_child(
        [] {
            const ChildEnd inner = run_in_child(
                []() -> std::string {
                    ::kill(::getppid(), SIGKILL);
                    pause_forever();
                },
                kLong);
            return inner.output;
        },
        kLong);
    CHECK(WTERMSIG(end.status) == SIGKILL);
    CHECK(life.has_ended());
}

TEST_CASE("child process: one that closes its end of the pipe and does not end is killed") {
    const ChildEnd end = run_in_child(
        []() -> std::string {
            ::close_range(3, ~0U, 0);
            pause_forever();
        },
        std::chrono::milliseconds(10));
    CHECK(end.has_timed_out);
    CHECK(WTERMSIG(end.status) == SIGKILL);
}

TEST_CASE("child process: no descriptor and no process is left behind") {
    const std::ptrdiff_t before = open_descriptors();
    CHECK(run_in_child([] { return std::to_string(open_descriptors()); }, kLong).output ==
          std::to_string(before + 1));  // where it writes to
    CHECK(open_descriptors() == before);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

}  // namespace child_process_test

#include "base/child_process.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

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
        const ChildEnd end = run_in_child(
            []() -> std::string {
                while (true) {
                    ::pause();
                }
            },
            limit);
        CHECK(end.has_timed_out);
        CHECK(WIFSIGNALED(end.status));
        CHECK(WTERMSIG(end.status) == SIGKILL);
    }
}

TEST_CASE("child process: no descriptor and no process is left behind") {
    const std::ptrdiff_t before = open_descriptors();
    CHECK(run_in_child([] { return std::to_string(open_descriptors()); }, kLong).output ==
          std::to_string(before + 1));  // where it writes to
    CHECK(open_descriptors() == before);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

}  // namespace child_process_test

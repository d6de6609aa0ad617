// Programs that are started: their output, its limits, and their end.

#include "base/started_program.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <string>
#include <system_error>

namespace started_program_test {
namespace {

using ptp::StartedProgram;
using namespace std::chrono_literals;

StartedProgram shell(const std::string& command) {
    return StartedProgram::for_output("sh", {"-c", command});
}

TEST_CASE("started program: its output is read to its end, and its exit code is returned") {
    StartedProgram one = shell("cat; echo lost >&2; printf 'a b'; exit 3");
    std::string output = "before ";
    CHECK(one.read(output, 100));
    CHECK(output == "before a b");
    const int status = one.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 3);
}

TEST_CASE("started program: an argument with spaces is one argument") {
    StartedProgram one = StartedProgram::for_output("/bin/echo", {"a  b", "c"});
    std::string output;
    CHECK(one.read(output, 100));
    CHECK(output == "a  b c\n");
    CHECK(one.wait() == 0);
}

TEST_CASE("started program: an output that is too long is not read to its end") {
    StartedProgram one = shell("echo 123456789");
    std::string output;
    CHECK_FALSE(one.read(output, 9));
}

TEST_CASE("started program: one that does not answer in time is killed at its end") {
    std::string output;
    {
        StartedProgram one = shell("echo $$; exec sleep 1000");
        CHECK_FALSE(one.read(output, 100, 300ms));
    }
    CHECK(kill(std::stoi(output), 0) != 0);
}

TEST_CASE("started program: a file that does not exist is not started") {
    const auto start = [] { StartedProgram::on_terminal("/nowhere/program", {}); };
    CHECK_THROWS_WITH_AS(start(), "No such file or directory", std::system_error);
}

}  // namespace
}  // namespace started_program_test

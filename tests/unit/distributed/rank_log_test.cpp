#include "distributed/rank_log.hpp"

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace rank_log_test {

using namespace ptp::distributed;
using ptp::test::TempFolder;

TEST_CASE("rank log: both streams go to the end of the file, and errors to the first one, too") {
    const TempFolder folder;
    const auto file = folder.write("1.log", "before\n");
    const auto terminal = folder.path() / "terminal";
    ptp::run_in_child(
        [&]() -> std::string {
            const int descriptor = open(terminal.c_str(), O_WRONLY | O_CREAT, 0644);
            dup2(descriptor, STDERR_FILENO);
            const FirstErrorStream first;
            first.show_elsewhere("not yet\n");
            log_to(file);
            std::puts("line");
            std::fflush(stdout);
            std::fputs("error\n", stderr);
            first.show_elsewhere("error\n");
            return "";
        },
        std::chrono::seconds(60));
    CHECK(folder.read("1.log") == "before\nline\nerror\n");
    CHECK(folder.read("terminal") == "error\n");
}

TEST_CASE("rank log: a folder that is missing is refused") {
    const TempFolder folder;
    const auto file = folder.path() / "none" / "1.log";
    CHECK_THROWS_WITH_AS(log_to(file),
                         ("cannot write " + file.string() + ": No such file or directory").c_str(),
                         ptp::RunError);
}

TEST_CASE("rank log: the last lines, as they are seen") {
    const TempFolder folder;
    CHECK(last_lines(folder.write("a", "1\n2\n\n3\n"), 2) == "2\n3");
    CHECK(last_lines(folder.write("b", "10 %\r20 %\n3"), 5) == "20 %\n3");
    CHECK(last_lines(folder.write("c", ""), 5) == "");
    CHECK(last_lines(folder.path() / "none", 5) == "");
    CHECK(last_lines(folder.write("d", std::string(200'000, 'x') + "\nlast\n"), 1) == "last");
}

}  // namespace rank_log_test

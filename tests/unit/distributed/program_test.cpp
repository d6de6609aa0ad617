#include "distributed/program.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

namespace program_test {

using namespace ptp::distributed;
using ptp::test::TempFolder;

TEST_CASE("program: it gets variables of its own besides those of this process") {
    const TempFolder folder;
    // Shorter than the name of one that is added.
    setenv("PTP_TEST_INHERITED", "kept", 1);
    setenv("PTP_TEST_REPLACED", "before", 1);
    const int code = run(
        {.path = "/bin/sh",
         .arguments = {"-c",
                       "echo $PTP_TEST_INHERITED $PTP_TEST_REPLACED $PTP_TEST_INHERITED_AND_LONG"},
         .variables = {{"PTP_TEST_REPLACED", "after"}, {"PTP_TEST_INHERITED_AND_LONG", "new"}},
         .output = folder.path() / "output"});
    unsetenv("PTP_TEST_INHERITED");
    unsetenv("PTP_TEST_REPLACED");
    CHECK(code == 0);
    CHECK(folder.read("output") == "kept after new\n");
}

TEST_CASE("program: its exit code is returned, and that of the signal that ended it") {
    CHECK(run({.path = "/bin/sh", .arguments = {"-c", "exit 7"}}) == 7);
    CHECK(run({.path = "/bin/sh", .arguments = {"-c", "kill -KILL $$"}}) == 128 + SIGKILL);
}

}  // namespace program_test

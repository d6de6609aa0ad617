#include "distributed/program.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>

namespace program_test {

using namespace ptp::distributed;
using ptp::test::TempFolder;

TEST_CASE("program: it gets variables of its own besides those of this process") {
    const TempFolder folder;
    // Shorter than the name of one that is added.
    setenv("PTP_TEST_INHERITED", "kept", 1);
    setenv("PTP_TEST_REPLACED", "before", 1);
    const pid_t pid = start(
        {.path = "/bin/sh",
         .arguments = {"-c",
                       "echo $PTP_TEST_INHERITED $PTP_TEST_REPLACED $PTP_TEST_INHERITED_AND_LONG"},
         .variables = {{"PTP_TEST_REPLACED", "after"}, {"PTP_TEST_INHERITED_AND_LONG", "new"}},
         .output = folder.path() / "output"});
    unsetenv("PTP_TEST_INHERITED");
    unsetenv("PTP_TEST_REPLACED");
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
    CHECK(folder.read("output") == "kept after new\n");
}

}  // namespace program_test

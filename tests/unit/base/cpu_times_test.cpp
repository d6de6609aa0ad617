#include "base/cores.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

namespace cpu_times_test {

TEST_CASE("cpu times: a machine is busy with all but idling and waiting for disks") {
    // user, nice, system, idle, iowait, irq, softirq, steal, guest (which user has, too)
    CHECK(ptp::busy_ticks("cpu  1 20 300 4000 50000 600000 7000000 80000000 1 0") == 87600321);
    CHECK(ptp::busy_ticks("cpu") == 0);
    CHECK(ptp::busy_ticks("") == 0);
}

TEST_CASE("cpu times: the waits of all threads are added up") {
    const ptp::test::TempFolder folder;
    for (const char* thread : {"11", "12"}) {
        std::filesystem::create_directory(folder.path() / thread);
        std::ofstream(folder.path() / thread / "schedstat") << "100 2000 7\n";
    }
    std::filesystem::create_directory(folder.path() / "13");  // has just ended
    CHECK(ptp::waited_nanoseconds(folder.path()) == 4000);
    CHECK(ptp::waited_nanoseconds(folder.path() / "none") == 0);
}

TEST_CASE("cpu times: they only grow") {
    const ptp::CpuTimes before = ptp::cpu_times();
    const ptp::CpuTimes after = ptp::cpu_times();
    CHECK(after.wall >= before.wall);
    CHECK(after.own >= before.own);
    CHECK(after.machine >= before.machine);
}

}  // namespace cpu_times_test

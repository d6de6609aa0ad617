#include "base/cores.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace cores_test {

namespace fs = std::filesystem;

namespace {

// What a process sees of its control groups.
class Groups {
public:
    explicit Groups(const std::string& of_process) {
        fs::create_directories(folder_.path() / "fs");
        std::ofstream(folder_.path() / "cgroup") << of_process;
    }
    void write(const std::string& file, const std::string& text) const {
        const fs::path path = folder_.path() / "fs" / file;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text << '\n';
    }
    [[nodiscard]] ptp::CoreLimits limits(std::int64_t affinity) const {
        return {affinity, folder_.path() / "cgroup", folder_.path() / "fs"};
    }
    [[nodiscard]] std::int64_t cores(std::int64_t affinity) const {
        return ptp::available_cores(limits(affinity));
    }

private:
    ptp::test::TempFolder folder_;
};

}  // namespace

TEST_CASE("cores: without a quota they are those of the affinity") {
    const Groups groups("0::/user.slice\n");
    CHECK(groups.cores(8) == 8);
    groups.write("user.slice/cpu.max", "max 100000");
    CHECK(groups.cores(8) == 8);
    CHECK(groups.cores(0) == 1);
    CHECK(Groups("").cores(3) == 3);
}

TEST_CASE("cores: a quota of version 2 counts, of the group or of one above it") {
    const Groups groups("0::/pods/one\n");
    groups.write("pods/one/cpu.max", "400000 100000");
    CHECK(groups.cores(8) == 4);
    CHECK(groups.cores(2) == 2);
    groups.write("pods/cpu.max", "150000 100000");
    CHECK(groups.cores(8) == 2);  // of a part of a core the whole
    groups.write("cpu.max", "50000 100000");
    CHECK(groups.cores(8) == 1);
}

TEST_CASE("cores: a quota of version 1 counts, wherever the controller is mounted") {
    for (const std::string folder : {"cpu", "cpu,cpuacct"}) {
        CAPTURE(folder);
        const Groups groups("7:memory:/a\n4:cpu,cpuacct:/docker/b\n");
        groups.write(folder + "/docker/b/cpu.cfs_quota_us", "300000");
        groups.write(folder + "/docker/b/cpu.cfs_period_us", "100000");
        CHECK(groups.cores(8) == 3);
        groups.write(folder + "/docker/b/cpu.cfs_quota_us", "-1");
        CHECK(groups.cores(8) == 8);
    }
}

TEST_CASE("cores: under a quota below the cores, the times of its group count, too") {
    const Groups groups("0::/pods/one\n");
    groups.write("pods/one/cpu.max", "400000 100000");
    groups.write("pods/cpu.max", "200000 100000");
    groups.write("pods/cpu.stat", "usage_usec 7500000\nuser_usec 7000000");
    CHECK(*ptp::cpu_times_under(groups.limits(8)).group == doctest::Approx(7.5));
    CHECK_FALSE(ptp::cpu_times_under(groups.limits(2)).group);  // it allows as many cores
    groups.write("pods/cpu.stat", "nr_periods 5");
    CHECK_FALSE(ptp::cpu_times_under(groups.limits(8)).group);
    groups.write("pods/cpuacct.usage", "2500000000");
    CHECK(*ptp::cpu_times_under(groups.limits(8)).group == doctest::Approx(2.5));
}

TEST_CASE("cores: the time of a group of version 1 may be counted in another hierarchy") {
    const Groups groups("2:cpuacct:/docker/b\n1:cpu:/docker/b\n");
    groups.write("cpu/docker/b/cpu.cfs_quota_us", "100000");
    groups.write("cpu/docker/b/cpu.cfs_period_us", "100000");
    CHECK_FALSE(ptp::cpu_times_under(groups.limits(8)).group);
    groups.write("cpuacct/docker/b/cpuacct.usage", "4000000000");
    CHECK(*ptp::cpu_times_under(groups.limits(8)).group == doctest::Approx(4));
}

TEST_CASE("cores: where a group's files cannot be looked at, it is as if there were none") {
    const Groups groups("1:cpu:/docker/b\n");
    groups.write("cpu/docker/b/cpu.cfs_quota_us", "100000");
    groups.write("cpu/docker/b/cpu.cfs_period_us", "100000");
    fs::create_symlink("cpuacct", groups.limits(8).group_root / "cpuacct");  // of itself
    CHECK(groups.cores(8) == 1);
}

TEST_CASE("cores: a quota is a number of cores") {
    CHECK(*ptp::cores_of_quota("150000 100000") == doctest::Approx(1.5));
    for (const char* text : {"", "max 100000", "-1 100000", "100000", "100000 0"}) {
        CAPTURE(text);
        CHECK_FALSE(ptp::cores_of_quota(text));
    }
}

TEST_CASE("cores: this process has at least one") {
    CHECK(ptp::available_cores() >= 1);
}

TEST_CASE("cores: processes that are bound to cores of their own share them no further") {
    struct Case {
        std::int64_t affinity;
        std::int64_t processes;
        std::int64_t cores;
    };
    const Groups free("0::/user.slice\n");
    for (const Case& c : {Case{4, 4, 4}, Case{16, 4, 4}, Case{1, 4, 1}, Case{16, 32, 1}}) {
        CAPTURE(c.affinity);
        CAPTURE(c.processes);
        CHECK(ptp::cores_of_each(free.limits(c.affinity), 16, c.processes) == c.cores);
    }
    // A quota of time is that of all.
    const Groups groups("0::/pod\n");
    groups.write("pod/cpu.max", "400000 100000");
    CHECK(ptp::cores_of_each(groups.limits(16), 16, 2) == 2);
    CHECK(ptp::online_cores() >= 1);
}

}  // namespace cores_test

// Reads what Linux reports of cores, quotas of control groups (versions 1 and 2) and times.

#include "base/cores.hpp"

#include "base/output_file.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace ptp {

namespace {

namespace fs = std::filesystem;

// Returns the quota of this group alone; version 1 splits the numbers of version 2's file in two.
std::optional<double> quota_of(const fs::path& group) {
    if (const auto quota = cores_of_quota(first_line(group / "cpu.max"))) {
        return quota;
    }
    return cores_of_quota(first_line(group / "cpu.cfs_quota_us") + " " +
                          first_line(group / "cpu.cfs_period_us"));
}

// Returns the folder that counts the CPU time. Version 1 may count it in a separate hierarchy,
// where containers have the same groups.
fs::path with_usage(const fs::path& root, const fs::path& folder) {
    constexpr const char* kUsage = "cpuacct.usage";
    const fs::path counting = root.parent_path() / "cpuacct" / folder.lexically_relative(root);
    std::error_code ignored;
    const bool is_elsewhere =
        !fs::exists(folder / kUsage, ignored) && fs::exists(counting / kUsage, ignored);
    return is_elsewhere ? counting : folder;
}

// Applies the quotas of the group and of those above it, up to the root.
void narrow(std::optional<CoreQuota>& smallest, const fs::path& root, fs::path group) {
    for (;;) {
        const fs::path folder = root / group.relative_path();
        const auto quota = quota_of(folder);
        if (quota && (!smallest || *quota < smallest->cores)) {
            smallest = CoreQuota{*quota, with_usage(root, folder)};
        }
        if (!group.has_relative_path()) {
            return;
        }
        group = group.parent_path();
    }
}

// Returns the folders below the root that contain the groups of a hierarchy, by the line
// "4:cpu,cpuacct:/path" of version 1 or "0::/path" of version 2.
std::vector<std::string> hierarchies(const std::string& controllers) {
    if (controllers.empty()) {
        return {"", "unified"};
    }
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');) {
        if (name == "cpu") {
            return {"cpu", controllers};
        }
    }
    return {};
}

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Sums over the cores that this process may use, whose lines begin with cpu0, cpu1, ...
double busy_ticks_of_own_cores() {
    cpu_set_t own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof(own), &own) != 0) {
        return 0;
    }
    std::ifstream stat("/proc/stat");
    std::string line;
    double ticks = 0;
    while (std::getline(stat, line) && line.starts_with("cpu")) {
        const int core = line.size() > 3 && line[3] != ' ' ? std::atoi(line.c_str() + 3) : -1;
        if (core >= 0 && core < CPU_SETSIZE && CPU_ISSET(core, &own)) {
            ticks += busy_ticks(line);
        }
    }
    return ticks;
}

}  // namespace

std::optional<double> cores_of_quota(std::string_view text) {
    std::istringstream numbers{std::string(text)};
    double quota = 0;
    double period = 0;
    if (!(numbers >> quota >> period) || quota <= 0 || period <= 0) {
        return std::nullopt;
    }
    return quota / period;
}

std::optional<CoreQuota> smallest_quota(const CoreLimits& limits) {
    std::optional<CoreQuota> smallest;
    std::ifstream groups(limits.groups);
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) {
            continue;
        }
        for (const std::string& folder : hierarchies(line.substr(first + 1, second - first - 1))) {
            narrow(smallest, limits.group_root / folder, line.substr(second + 1));
        }
    }
    return smallest;
}

std::optional<double> cpu_seconds_of_group(const fs::path& group) {
    constexpr double kMicroseconds = 1e-6;
    constexpr double kNanoseconds = 1e-9;
    std::ifstream stat(group / "cpu.stat");
    double value = 0;
    for (std::string name; stat >> name >> value;) {
        if (name == "usage_usec") {
            return value * kMicroseconds;
        }
    }
    std::ifstream usage(group / "cpuacct.usage");
    return usage >> value ? std::optional(value * kNanoseconds) : std::nullopt;
}

std::int64_t cores_of_each(const CoreLimits& limits, std::int64_t online, std::int64_t processes) {
    CoreLimits unbound = limits;
    unbound.affinity = std::max(online, limits.affinity);
    return std::max<std::int64_t>(std::min(limits.affinity, available_cores(unbound) / processes),
                                  1);
}

std::int64_t available_cores(const CoreLimits& limits) {
    auto cores = static_cast<double>(std::max<std::int64_t>(limits.affinity, 1));
    if (const auto quota = smallest_quota(limits)) {
        cores = std::min(cores, quota->cores);
    }
    constexpr double kRounding = 1e-9;
    return std::max<std::int64_t>(std::llround(std::ceil(cores - kRounding)), 1);
}

CoreLimits own_core_limits() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0;
    return {.affinity = is_known ? CPU_COUNT(&set)
                                 : static_cast<std::int64_t>(std::thread::hardware_concurrency())};
}

std::int64_t available_cores() {
    return available_cores(own_core_limits());
}

std::int64_t online_cores() {
    const std::int64_t count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count;
}

double busy_ticks(std::string_view line) {
    std::istringstream stream{std::string(line)};
    std::string name;
    double user = 0;
    double nice = 0;
    double system = 0;
    double idle = 0;
    double for_disk = 0;
    double interrupts = 0;
    double soft_interrupts = 0;
    double stolen = 0;
    if (!(stream >> name >> user >> nice >> system >> idle >> for_disk >> interrupts >>
          soft_interrupts >> stolen)) {
        return 0;
    }
    return user + nice + system + interrupts + soft_interrupts + stolen;
}

double waited_nanoseconds(const std::filesystem::path& tasks) {
    double total = 0;
    std::error_code error;
    // A thread may end meanwhile: a range-based for would throw then.
    std::filesystem::directory_iterator task(tasks, error);
    for (; !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
        std::ifstream file(task->path() / "schedstat");
        double computed = 0;
        double waited = 0;
        if (file >> computed >> waited) {
            total += waited;
        }
    }
    return total;
}

CpuTimes cpu_times_under(const CoreLimits& limits) {
    CpuTimes times{.wall = seconds_of(CLOCK_MONOTONIC),
                   .own = seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
    const auto quota = smallest_quota(limits);
    if (quota && quota->cores < static_cast<double>(limits.affinity)) {
        times.group = cpu_seconds_of_group(quota->group);
    }
    times.machine = busy_ticks_of_own_cores() / static_cast<double>(sysconf(_SC_CLK_TCK));
    times.waiting = waited_nanoseconds("/proc/self/task") * 1e-9;
    return times;
}

CpuTimes cpu_times() {
    return cpu_times_under(own_core_limits());
}

}  // namespace ptp

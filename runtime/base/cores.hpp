// The processor cores that this process may use, and how their time is spent.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace ptp {

// The places where Linux describes the limits of a process.
struct CoreLimits {
    std::int64_t affinity = 1;                            // cores that it may run on
    std::filesystem::path groups = "/proc/self/cgroup";   // its control groups
    std::filesystem::path group_root = "/sys/fs/cgroup";  // where these are mounted
};

// Returns the current limits of this process.
CoreLimits own_core_limits();

// The quota of a control group, or of one above it, which all their processes share.
struct CoreQuota {
    double cores = 0;
    std::filesystem::path group;  // its folder, where its time is counted
};

// Returns the smallest quota; nullopt if none is set.
std::optional<CoreQuota> smallest_quota(const CoreLimits& limits);

// Returns the CPU time of all processes of a control group (version 1 or 2) and of those below it;
// nullopt if the group does not report it.
std::optional<double> cpu_seconds_of_group(const std::filesystem::path& group);

// Returns the number of cores in the affinity mask, at most the quota of time (rounded up) of a
// control group (version 1 or 2) of the process or of one above it; at least 1.
std::int64_t available_cores(const CoreLimits& limits);

// Returns the number of cores that this process may use now.
std::int64_t available_cores();

// Returns the number of cores that are online, including those that this process must not use.
std::int64_t online_cores();

// Returns the number of cores, at least 1, for each of the processes that a launcher has started on
// one host. If the launcher has bound each process to its own cores, these are not divided any
// further; `online` cores and a quota of time are.
std::int64_t cores_of_each(const CoreLimits& limits, std::int64_t online, std::int64_t processes);

// Parses the content of a file cpu.max: cores for "150000 100000", nullopt for "max 100000" or
// invalid text.
std::optional<double> cores_of_quota(std::string_view text);

// Times in seconds, each since an arbitrary moment; 0 if the system does not report it.
struct CpuTimes {
    double wall = 0;
    double own = 0;  // of the threads of this process
    // The time of all processes, and of other guests if this is a virtual machine, on the cores
    // that this process may use.
    double machine = 0;
    // The time of the processes of the control group that allows fewer than these cores, if there
    // is one and it reports that: they share its quota, which other processes on the host do not
    // use.
    std::optional<double> group = std::nullopt;
    double waiting = 0;  // that threads of this process were ready to run, but had no core
};

// Returns the current times, under these limits.
CpuTimes cpu_times_under(const CoreLimits& limits);

// Returns the current times. Reads some files of /proc.
CpuTimes cpu_times();

// Returns the busy time of a line of /proc/stat, in ticks.
double busy_ticks(std::string_view line);

// Returns how long all tasks of a process have waited, in nanoseconds, by /proc/PID/task.
double waited_nanoseconds(const std::filesystem::path& tasks);

}  // namespace ptp

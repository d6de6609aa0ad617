// The number of processor cores that this process may use.

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

// Returns the number of cores that are online, whatever this process may use.
std::int64_t online_cores();

// Returns the number of cores, at least 1, for each of the processes that a launcher has started on
// one host. If the launcher has bound each process to its own cores, these are not divided any
// further; `online` cores and a quota of time are.
std::int64_t cores_of_each(const CoreLimits& limits, std::int64_t online, std::int64_t processes);

// Parses the content of a file cpu.max: cores for "150000 100000", nullopt for "max 100000" or
// invalid text.
std::optional<double> cores_of_quota(std::string_view text);

}  // namespace ptp

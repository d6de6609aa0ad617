// How many processor cores this process may use.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace ptp {

// Where Linux describes the limits of a process.
struct CoreLimits {
    std::int64_t affinity = 1;                            // cores that it may run on
    std::filesystem::path groups = "/proc/self/cgroup";   // its control groups
    std::filesystem::path group_root = "/sys/fs/cgroup";  // where these are mounted
};

// Those of this process, now.
CoreLimits own_core_limits();

// The quota of a control group, or of one above it: all their processes share it.
struct CoreQuota {
    double cores = 0;
    std::filesystem::path group;  // its folder, where its time is counted
};

// The smallest; nullopt where none is set.
std::optional<CoreQuota> smallest_quota(const CoreLimits& limits);

// The CPU time of all processes of a control group (version 1 or 2) and of those below it;
// nullopt: the group does not report it.
std::optional<double> cpu_seconds_of_group(const std::filesystem::path& group);

// At least 1: those of the affinity, or fewer where a control group (version 1 or 2) of the process
// or one above it has a quota of time; of a part of a core the whole.
std::int64_t available_cores(const CoreLimits& limits);

// Of this process, now.
std::int64_t available_cores();

// All that the system runs, whatever this process may use.
std::int64_t online_cores();

// At least 1: for each of the processes that something else than this program has started on one
// host. Where it has bound each to cores of its own, these are not shared any more; `online` cores
// and a quota of time are.
std::int64_t cores_of_each(const CoreLimits& limits, std::int64_t online, std::int64_t processes);

// Cores by "150000 100000", which is a file cpu.max; nullopt for "max 100000" and what is neither.
std::optional<double> cores_of_quota(std::string_view text);

}  // namespace ptp

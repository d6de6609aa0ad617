// Where the time of the processor goes.

#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace ptp {

struct CoreLimits;

// In seconds, each since some moment of its own; 0 where the system does not report it.
struct CpuTimes {
    double wall = 0;
    double own = 0;  // of the threads of this process
    // Of all processes, and of other guests where this is a virtual machine, on the cores that this
    // process may use.
    double machine = 0;
    // Of the processes of the control group that allows fewer than these cores, if there is one and
    // it reports that: they share its quota, of which others on the host take nothing.
    std::optional<double> group = std::nullopt;
    double waiting = 0;  // that threads of this process would have computed, but had no core
};

// Of now, under these limits.
CpuTimes cpu_times_under(const CoreLimits& limits);

// Of now. Reads some files of /proc.
CpuTimes cpu_times();

// What a line of /proc/stat counts as busy, in its ticks.
double busy_ticks(std::string_view line);

// What all tasks of a process have waited, in nanoseconds, by /proc/PID/task.
double waited_nanoseconds(const std::filesystem::path& tasks);

}  // namespace ptp

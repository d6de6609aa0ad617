// Measures how processor time is spent.

#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace ptp {

struct CoreLimits;

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

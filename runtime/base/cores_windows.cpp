// Counts the cores of Windows, which reports no other times.

#include "base/cores.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ptp {

std::int64_t available_cores() {
    return std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
}

std::int64_t online_cores() {
    return available_cores();
}

double busy_ticks(std::string_view) {
    return 0;
}

double waited_nanoseconds(const std::filesystem::path&) {
    return 0;
}

CpuTimes cpu_times_under(const CoreLimits&) {
    return cpu_times();
}

CpuTimes cpu_times() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return {.wall = std::chrono::duration<double>(now).count()};
}

}  // namespace ptp

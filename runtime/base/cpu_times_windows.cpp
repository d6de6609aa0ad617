#include "base/cpu_times.hpp"

#include <chrono>

namespace ptp {

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

#include "base/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <thread>

namespace ptp {

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

}  // namespace ptp

#include "base/cores.hpp"

#include <sched.h>

#include <thread>

namespace ptp {

std::int64_t available_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0;
    return available_cores(
        {.affinity = is_known ? CPU_COUNT(&set)
                              : static_cast<std::int64_t>(std::thread::hardware_concurrency())});
}

}  // namespace ptp

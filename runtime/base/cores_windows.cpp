#include "base/cores.hpp"

#include <algorithm>
#include <thread>

namespace ptp {

std::int64_t available_cores() {
    return std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
}

std::int64_t online_cores() {
    return available_cores();
}

}  // namespace ptp

// How much memory this process uses.

#pragma once

#include <cstdint>

namespace ptp {

// What lies in physical memory, in bytes; 0 where the system does not report it. Costs
// microseconds.
std::uint64_t resident_bytes();

}  // namespace ptp

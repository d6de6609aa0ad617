// How much memory this process uses, and what becomes of memory that it frees.

#pragma once

#include <cstdint>

namespace ptp {

// What lies in physical memory, in bytes; 0 where the system does not report it. Costs
// microseconds.
std::uint64_t resident_bytes();

// Keeps memory that this program frees for its next allocations, large blocks too, instead of
// returning it to the system: a program that uses again what it frees, such as a training, then
// does not wait for the system to clear its pages. For all threads, from now on.
void keep_freed_memory() noexcept;

}  // namespace ptp

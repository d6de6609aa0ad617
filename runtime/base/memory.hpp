// The memory that this process uses, and the handling of memory that it frees.

#pragma once

#include <cstdint>

namespace ptp {

// Returns the resident size in bytes; 0 if the system does not report it. Takes microseconds.
std::uint64_t resident_bytes();

// Keeps memory that this program frees, large blocks too, for its next allocations instead of
// returning it to the system: a program that reuses what it frees, such as a training, then does
// not wait for the system to clear its pages. Applies to all threads.
void keep_freed_memory() noexcept;

}  // namespace ptp

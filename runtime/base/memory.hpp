// The memory that this process uses, and the handling of memory that it frees.

#pragma once

#include <cstddef>
#include <cstdint>

namespace ptp {

// Returns the resident size in bytes; 0 if the system does not report it. Takes microseconds.
std::uint64_t resident_bytes();

// Keeps memory that this program frees, large blocks too, for its next allocations instead of
// returning it to the system: a program that reuses what it frees, such as a training, then does
// not wait for the system to clear its pages. Applies to all threads.
void keep_freed_memory() noexcept;

// Returns to the system what was freed and kept until now.
void return_freed_memory() noexcept;

// Extends the heap of the calling thread by that number of bytes in one system call, and keeps what
// is freed, as keep_freed_memory(). Pages that are never written take no memory. The heap of a
// thread that is not the first grows by single pages otherwise (glibc, sysmalloc), up to 64 MiB.
void reserve_heap(std::size_t bytes) noexcept;

}  // namespace ptp

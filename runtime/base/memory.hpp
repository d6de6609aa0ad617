// How much memory this process uses, and of what pages.

#pragma once

#include <cstddef>
#include <cstdint>

namespace ptp {

// What lies in physical memory, in bytes; 0 where the system does not report it. Costs
// microseconds.
std::uint64_t resident_bytes();

// Puts the next N bytes of the calling thread's heap in large pages, where the system has them for
// those who ask (Linux): memory that is used for the first time then interrupts the thread once for
// 2 MB instead of 512 times. Takes no physical memory. Does nothing where there is not that much
// address space, or where malloc() maps a block of this size by itself.
void prepare_heap(std::size_t bytes) noexcept;

// The same for a program that uses again what it frees: large blocks come from the heap
// too from now on, and what is freed stays there.
void prepare_growing_heap(std::size_t bytes) noexcept;

}  // namespace ptp

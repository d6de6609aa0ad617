// Asks Linux for memory in use, and glibc to reserve memory and to keep what is freed.

#include "base/memory.hpp"

#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace ptp {

std::uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    std::uint64_t resident_pages = 0;
    if (!(file >> pages >> resident_pages)) {
        return 0;
    }
    return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void keep_freed_memory() noexcept {
#if defined(__GLIBC__)
    constexpr int kMax = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, kMax);
    mallopt(M_TRIM_THRESHOLD, kMax);
#endif
}

void return_freed_memory() noexcept {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

void reserve_heap(std::size_t bytes) noexcept {
    keep_freed_memory();
    void* volatile block = std::malloc(bytes);  // volatile: the pair is not optimized away
    std::free(block);
}

}  // namespace ptp

#include "base/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>

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

// Of the block only the first and the last bytes are written, by malloc() itself: a page that is
// there already would keep a large one from its place.
void prepare_heap(std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
    void* const block = std::malloc(bytes);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* begin = block;
    std::size_t room = bytes;
    if (block != nullptr && std::align(page, page, begin, room) != nullptr) {
        ::madvise(begin, room / page * page, MADV_HUGEPAGE);  // advice: it may be refused
    }
    std::free(block);
#endif
}

void prepare_growing_heap(std::size_t bytes) noexcept {
#if defined(__GLIBC__)
    constexpr int kMax = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, kMax);
    mallopt(M_TRIM_THRESHOLD, kMax);
#endif
    prepare_heap(bytes);
}

}  // namespace ptp

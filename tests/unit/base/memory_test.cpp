#include "base/memory.hpp"

#include <doctest/doctest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace memory_test {

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

// Whether the mapping at this address asks for large pages: "hg" among its flags.
bool asks_for_large_pages(const void* where) {
    const auto address = reinterpret_cast<std::uintptr_t>(where);
    std::ifstream maps("/proc/self/smaps");
    bool is_here = false;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        if (words >> std::hex >> begin >> dash >> end && dash == '-') {
            is_here = begin <= address && address < end;
        } else if (is_here && line.starts_with("VmFlags:")) {
            return (line + ' ').find(" hg ") != std::string::npos;
        }
    }
    return false;
}

struct Seen {
    bool before = false;
    bool after = false;
    std::uint64_t grown_bytes = 0;
};

// In a thread, which has a heap of its own.
Seen seen_in_prepared_heap() {
    Seen seen;
    std::thread([&seen] {
        void* const small = std::calloc(1, 1000);
        seen.before = asks_for_large_pages(small);
        const std::uint64_t resident = ptp::resident_bytes();
        ptp::prepare_heap(16 * kMegabyte);
        seen.grown_bytes = ptp::resident_bytes() - resident;
        auto* const block = static_cast<std::byte*>(std::malloc(8 * kMegabyte));
        seen.after = asks_for_large_pages(block + 4 * kMegabyte);
        std::free(block);
        std::free(small);
    }).join();
    return seen;
}

// Sanitizers have an allocator of their own.
bool is_skipped() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: not with a sanitizer, which has an allocator of its own");
    return true;
#else
    return false;
#endif
}

}  // namespace

TEST_CASE("memory: a prepared heap asks for large pages and takes none before it is used") {
    if (is_skipped()) {
        return;
    }
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
        MESSAGE("this system has no large pages");
        return;
    }
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    const Seen seen = seen_in_prepared_heap();
    CHECK_FALSE(seen.before);
    CHECK(seen.after);
    CHECK(seen.grown_bytes < kMegabyte);
}

TEST_CASE("memory: a growing heap keeps large blocks that are freed") {
    if (is_skipped()) {
        return;
    }
    std::thread([] {
        ptp::prepare_growing_heap(16 * kMegabyte);
        auto* const block = static_cast<std::byte*>(std::malloc(8 * kMegabyte));
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        std::free(block);
        void* const next = std::malloc(8 * kMegabyte);
        CHECK(reinterpret_cast<std::uintptr_t>(next) == address);
        std::free(next);
    }).join();
}

TEST_CASE("memory: a heap larger than all address space is not prepared") {
    if (is_skipped()) {
        return;
    }
    ptp::prepare_heap(static_cast<std::size_t>(-1) / 4);
    CHECK(ptp::resident_bytes() > 0);
}

}  // namespace memory_test

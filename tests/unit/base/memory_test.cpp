#include "base/memory.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace memory_test {

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

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

TEST_CASE("memory: large blocks that are freed are used again") {
    if (is_skipped()) {
        return;
    }
    std::thread([] {
        ptp::keep_freed_memory();
        auto* const block = static_cast<std::byte*>(std::malloc(8 * kMegabyte));
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        std::free(block);
        void* const next = std::malloc(8 * kMegabyte);
        CHECK(reinterpret_cast<std::uintptr_t>(next) == address);
        std::free(next);
    }).join();
}

}  // namespace memory_test

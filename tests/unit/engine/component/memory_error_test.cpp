#include "engine/component/component_error.hpp"

#include <doctest/doctest.h>

namespace memory_error_test {

using ptp::engine::is_about_memory;

TEST_CASE("memory error: the words of libtorch and of the standard library are known") {
    for (const char* message :
         {"std::bad_alloc",
          "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried "
          "to allocate 99 bytes. Error code 12 (Cannot allocate memory)",
          "CUDA out of memory. Tried to allocate 2.00 GiB", "c10::OutOfMemoryError: refused"}) {
        CAPTURE(message);
        CHECK(is_about_memory(message));
    }
    for (const char* message :
         {"", "expected memory format contiguous", "bad allocation of classes"}) {
        CAPTURE(message);
        CHECK_FALSE(is_about_memory(message));
    }
}

}  // namespace memory_error_test

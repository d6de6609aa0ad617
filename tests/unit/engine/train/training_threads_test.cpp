#include "engine/train/training_threads.hpp"

#include <doctest/doctest.h>

namespace training_threads_test {

using ptp::engine::threads_text;

TEST_CASE(
    "training threads: cores that libtorch leaves are named, unless the number was asked for") {
    CHECK(threads_text(1, 2, false) == "1 thread (--threads 2 computes on all cores)");
    CHECK(threads_text(4, 16, false) == "4 threads (--threads 16 computes on all cores)");
    CHECK(threads_text(1, 2, true) == "1 thread");
    CHECK(threads_text(2, 2, false) == "2 threads");
    CHECK(threads_text(4, 2, false) == "4 threads");
}

}  // namespace training_threads_test

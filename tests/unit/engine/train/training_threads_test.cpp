#include "engine/train/training_threads.hpp"

#include <doctest/doctest.h>

namespace training_threads_test {

using ptp::engine::threads_text;

TEST_CASE(
    "training threads: cores that libtorch leaves are named, unless the number was asked for") {
    CHECK(threads_text(1, 2, 0) == "1 thread (--threads 2 computes on all cores)");
    CHECK(threads_text(4, 16, 0) == "4 threads (--threads 16 computes on all cores)");
    CHECK(threads_text(1, 2, 1) == "1 thread");
    CHECK(threads_text(2, 2, 0) == "2 threads");
    CHECK(threads_text(4, 2, 0) == "4 threads");
}

TEST_CASE("training threads: a number that the libraries have cut down is stated") {
    CHECK(threads_text(64, 2, 99) == "64 threads (99 were asked for: OpenBLAS takes no more)");
    CHECK(threads_text(99, 2, 99) == "99 threads");
}

}  // namespace training_threads_test

#include "engine/train/training_threads.hpp"

#include <doctest/doctest.h>

namespace training_threads_test {

using ptp::engine::unused_cores_advice;

TEST_CASE(
    "training threads: cores that libtorch leaves are named once, unless that was asked for") {
    CHECK(
        *unused_cores_advice(1, 2, false) ==
        "libtorch computes with 1 thread, though 2 cores are available; --threads 2 uses them all "
        "(the numbers may differ in their last bits)");
    CHECK(*unused_cores_advice(4, 16, false) ==
          "libtorch computes with 4 threads, though 16 cores are available; --threads 16 uses them "
          "all (the numbers may differ in their last bits)");
    CHECK_FALSE(unused_cores_advice(1, 2, true));
    CHECK_FALSE(unused_cores_advice(2, 2, false));
    CHECK_FALSE(unused_cores_advice(4, 2, false));
}

}  // namespace training_threads_test

// Each limit of open files from 8 to 64.

#include "runs/few_descriptors.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace slow_descriptors_test {

TEST_CASE("descriptors: with each limit from 8 to 64 a training ends well or with one sentence") {
    const ptp::test::FewDescriptors few;
    for (std::uint64_t limit = 8; limit <= 64; ++limit) {
        few.check_training(limit);
    }
}

TEST_CASE("descriptors: with each limit from 8 to 64 process and predict give what they should") {
    const ptp::test::FewDescriptors few;
    for (std::uint64_t limit = 8; limit <= 64; ++limit) {
        few.check_evaluation(limit);
    }
}

}  // namespace slow_descriptors_test

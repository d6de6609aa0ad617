#include "experiments/support.hpp"

#include <doctest/doctest.h>

namespace good_experiment_test {

TEST_CASE("good experiment: nothing is said of what the wrong ones are made from") {
    CHECK(ptp::test::problems_of(ptp::test::good_experiment()) == "");
}

}  // namespace good_experiment_test

#include "experiments/support.hpp"

#include <doctest/doctest.h>

TEST_CASE("good experiment: nothing is said of what the wrong ones are made from") {
    CHECK(ptp::test::problems_of(ptp::test::good_experiment()) == "");
}

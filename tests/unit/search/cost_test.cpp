// A cross-validation states its cost.

#include "ptp-search/cost.hpp"

#include <doctest/doctest.h>

namespace cost_test {

using namespace ptp;

TEST_CASE("cost: more than 20 folds are warned of with the number of trainings and epochs") {
    experiment::Training training;
    training.terminal_conditions.epoch_limit = 60;
    CHECK_FALSE(search::many_folds(20, 20, training));
    CHECK(search::many_folds(1000, 1000, training)->text() ==
          "1000 folds are 1000 trainings of 60 epochs each; 5 or 10 folds are usual\n"
          "    fix: --folds 10");
    training.terminal_conditions.epoch_limit = 1;
    CHECK(search::many_folds(21, 42, training)->reason ==
          "21 folds are 42 trainings of 1 epoch each; 5 or 10 folds are usual");
    training.terminal_conditions.epoch_limit = -1;
    CHECK(search::many_folds(21, 21, training)->reason ==
          "21 folds are 21 trainings; 5 or 10 folds are usual");
}

TEST_CASE(
    "cost: the time that is left is that of the first run for each other, by jobs at a time") {
    CHECK(search::text_of_remaining(3, 1001, 1) ==
          "1 of 1001 runs took 3 s: the other 1000 take about 50 min 00 s");
    CHECK(search::text_of_remaining(3, 1001, 4) ==
          "1 of 1001 runs took 3 s: the other 1000 take about 12 min 30 s");
    CHECK(search::text_of_remaining(5, 10, 1) == "");
    CHECK(search::text_of_remaining(5, 1, 1) == "");
}

}  // namespace cost_test

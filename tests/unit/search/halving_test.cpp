#include "ptp-search/trials.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

namespace halving_test {

using namespace ptp::search;

TEST_CASE("halving: the rungs of the table in Hyperband's paper") {
    const std::vector<Rung> rungs = rungs_of({.trials = 81, .factor = 3, .max_budget = 81});
    CHECK(rungs == std::vector<Rung>{{81, 1}, {27, 3}, {9, 9}, {3, 27}, {1, 81}});
    // log(243) / log(3) is below 5 in floating point.
    CHECK(rungs_of({.trials = 243, .factor = 3, .max_budget = 243}).size() == 6);
}

TEST_CASE("halving: trials or budgets that run out end the rungs, and all are rounded down") {
    struct Case {
        HalvingPlan plan;
        std::vector<Rung> rungs;
    };
    const Case cases[] = {
        {{.trials = 20, .factor = 3, .max_budget = 10}, {{20, 1}, {6, 3}, {2, 10}}},
        {{.trials = 4, .factor = 2, .max_budget = 100}, {{4, 25}, {2, 50}, {1, 100}}},
        {{.trials = 100, .factor = 3, .min_budget = 4, .max_budget = 12}, {{100, 4}, {33, 12}}},
        {{.trials = 100, .factor = 3, .min_budget = 5, .max_budget = 12}, {{100, 12}}},
        {{.trials = 2, .factor = 3, .max_budget = 9}, {{2, 9}}},
        {{.trials = 9, .factor = 0, .max_budget = 9}, {{9, 9}}},
        {{.trials = 1, .factor = 2, .max_budget = 1}, {{1, 1}}},
    };
    for (const Case& c : cases) {
        CAPTURE(c.plan.trials);
        CAPTURE(c.plan.min_budget);
        CHECK(rungs_of(c.plan) == c.rungs);
    }
}

TEST_CASE("halving: the best continue, what is not a number is worst, what has failed does not") {
    const std::vector<TrialScore> scores = {{0, false, 0.5},          {1, true, 0.1},
                                            {2, false, std::nullopt}, {3, false, -2},
                                            {4, false, 0.5},          {5, false, 0.7}};
    using Numbers = std::vector<std::size_t>;
    CHECK(survivors(scores, 1) == Numbers{3});
    CHECK(survivors(scores, 2) == Numbers{0, 3});  // of equal ones the first
    CHECK(survivors(scores, 4) == Numbers{0, 3, 4, 5});
    CHECK(survivors(scores, 6) == Numbers{0, 2, 3, 4, 5});
    CHECK(survivors({{0, true, 0.1}}, 1).empty());
}

}  // namespace halving_test

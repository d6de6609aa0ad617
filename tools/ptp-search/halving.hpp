// Successive halving: how many trials of a search are trained for how long, and which continue.
//
// Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization"
// (2016), algorithm 1, with the share 1/N instead of a half: one bracket of Hyperband (Li et al.,
// 2018). It is synchronous: a rung is judged when all of its trials have finished it, so that the
// result does not depend on which process trains them, and how fast.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::search {

struct Rung {
    std::size_t trials = 0;   // maximum: failed trials do not continue
    std::int64_t budget = 0;  // of each trial from its start, in epochs or episodes

    friend bool operator==(const Rung&, const Rung&) = default;
};

struct HalvingPlan {
    std::size_t trials = 1;
    std::int64_t factor = 3;      // 0: one rung
    std::int64_t min_budget = 1;  // of the first rung
    std::int64_t max_budget = 1;  // of the last one
};

// Returns as many rungs as the trials and the budgets allow: of K + 1 rungs, rung I has trials /
// N^I of the trials, at least one, for max_budget / N^(K - I), both rounded down. All rungs cost
// about the same. REQUIRES: 1 <= min_budget <= max_budget, factor 0 or at least 2.
std::vector<Rung> rungs_of(const HalvingPlan& plan);

// The result of a trial.
struct TrialScore {
    std::size_t trial = 0;
    bool has_failed = false;
    std::optional<double> value = {};  // smaller is better; nullopt: not a number, the worst
};

// Sorts the best first: those with a value, those without, those that have failed; ties by their
// numbers.
void sort_scores(std::vector<TrialScore>& scores);

// Returns the numbers of the best `count` trials that have not failed, in ascending order.
std::vector<std::size_t> survivors(std::vector<TrialScore> scores, std::size_t count);

}  // namespace ptp::search

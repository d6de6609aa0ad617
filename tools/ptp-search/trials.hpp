// Draws the values that `ptprun search` tries; computes the rungs of successive halving, and which
// trials survive one.
#pragma once

#include "experiment/searching.hpp"
#include "ptprun/sweep_points.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::search {

// Draws the value of a trial, counted from 0, as a function of only the seed, the key and the
// number, so that neither other keys nor the number of trials change it. Reals have six significant
// digits, or more in a narrow range.
Value drawn(const experiment::SearchRange& range, std::uint64_t seed, std::size_t number);

// Returns all trials of a search: an override for each of its keys, in their order, and a label as
// in a sweep, "lr=0.01 hidden_size=64".
std::vector<ptprun::SweepPoint> trials_of(const experiment::Searching& search, std::uint64_t seed);

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

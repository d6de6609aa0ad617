// The arithmetic of successive halving.

#include "ptp-search/halving.hpp"

#include <algorithm>
#include <tuple>

namespace ptp::search {

// Uses divisions only: a quotient of logarithms may miss an integer.
std::vector<Rung> rungs_of(const HalvingPlan& plan) {
    std::vector<Rung> rungs = {{plan.trials, plan.max_budget}};
    if (plan.factor < 2) {
        return rungs;
    }
    const auto factor = static_cast<std::size_t>(plan.factor);
    std::size_t trials = plan.trials;
    std::int64_t budget = plan.max_budget;
    while (trials / factor >= 1 && budget / plan.factor >= plan.min_budget) {
        trials /= factor;
        budget /= plan.factor;
        rungs.insert(rungs.begin(), {0, budget});
    }
    trials = plan.trials;
    for (Rung& rung : rungs) {
        rung.trials = trials;
        trials /= factor;
    }
    return rungs;
}

void sort_scores(std::vector<TrialScore>& scores) {
    const auto rank = [](const TrialScore& score) {
        return std::tuple(score.has_failed, !score.value.has_value(), score.value.value_or(0),
                          score.trial);
    };
    std::ranges::sort(scores, [&](const TrialScore& left, const TrialScore& right) {
        return rank(left) < rank(right);
    });
}

std::vector<std::size_t> survivors(std::vector<TrialScore> scores, std::size_t count) {
    sort_scores(scores);
    std::erase_if(scores, [](const TrialScore& score) { return score.has_failed; });
    std::vector<std::size_t> trials;
    for (std::size_t i = 0; i < std::min(count, scores.size()); ++i) {
        trials.push_back(scores[i].trial);
    }
    std::ranges::sort(trials);
    return trials;
}

}  // namespace ptp::search

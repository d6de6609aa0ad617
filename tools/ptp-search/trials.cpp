// Draws the values of trials, computes the rungs of successive halving, and chooses its survivors.

#include "ptp-search/trials.hpp"

#include "base/random.hpp"
#include "base/ranges.hpp"
#include "base/toml_writer.hpp"
#include "experiment/load/override.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace ptp::search {

using namespace ptprun;

namespace {

using experiment::Distribution;
using experiment::Searching;
using experiment::SearchRange;

// Returns the number of digits of drawn reals: six, and one more for each power of ten by which a
// range is narrower than its numbers are large. Rounding is for readability, and hides the last bit
// of a logarithm, which differs between C libraries.
int digits_of(double low, double high) {
    constexpr int kUsual = 6;
    constexpr int kMax = 15;  // not every double has more
    const double largest = std::max(std::abs(low), std::abs(high));
    int digits = kUsual;
    for (double width = (high - low) * 10; width <= largest && digits < kMax; width *= 10) {
        ++digits;
    }
    return digits;
}

double with_digits(double value, int digits) {
    return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

double between(double low, double high, double share) {
    return low + (high - low) * share;
}

double between_logs(double low, double high, double share) {
    return std::exp(between(std::log(low), std::log(high), share));
}

Value drawn_real(const SearchRange& range, double share) {
    const double low = range.values.front().as_real();
    const double high = range.values.back().as_real();
    const double value = range.distribution == Distribution::kUniform
                             ? between(low, high, share)
                             : between_logs(low, high, share);
    return std::clamp(with_digits(value, digits_of(low, high)), low, high);
}

// Draws an integer; each has the share of the numbers that are rounded to it.
Value drawn_log_integer(const SearchRange& range, double share) {
    const std::int64_t low = range.values.front().as_integer();
    const std::int64_t high = range.values.back().as_integer();
    const double value =
        between_logs(static_cast<double>(low) - 0.5, static_cast<double>(high) + 0.5, share);
    // The largest integers are not doubles, and could be rounded beyond the integer type.
    return value >= static_cast<double>(high)
               ? high
               : std::clamp(static_cast<std::int64_t>(std::llround(value)), low, high);
}

Value drawn_integer(const SearchRange& range, Draws& draws) {
    const auto low = static_cast<std::uint64_t>(range.values.front().as_integer());
    const auto high = static_cast<std::uint64_t>(range.values.back().as_integer());
    const std::uint64_t count = high - low + 1;  // 0: all 2^64 integers
    const std::uint64_t offset = count == 0 ? mixed(draws.below(UINT64_MAX)) : draws.below(count);
    return static_cast<std::int64_t>(low + offset);
}

std::string shown(const Value& value) {
    return value.is_string() ? value.as_string() : inline_toml(value);
}

}  // namespace

Value drawn(const SearchRange& range, std::uint64_t seed, std::size_t number) {
    Draws draws(derived(derived(derived(seed, "search"), range.key), number));
    switch (range.distribution) {
        case Distribution::kUniform:
        case Distribution::kLogUniform:
            return drawn_real(range, draws.fraction());
        case Distribution::kInteger:
            return drawn_integer(range, draws);
        case Distribution::kLogInteger:
            return drawn_log_integer(range, draws.fraction());
        case Distribution::kChoice:
            break;
    }
    return range.values[draws.below(range.values.size())];
}

std::vector<SweepPoint> trials_of(const Searching& search, std::uint64_t seed) {
    const std::vector<std::string> keys = transformed(search.space, &SearchRange::key);
    std::vector<SweepPoint> trials(static_cast<std::size_t>(search.trials));
    for (std::size_t number = 0; number < trials.size(); ++number) {
        SweepPoint& trial = trials[number];
        for (const SearchRange& range : search.space) {
            const Value value = drawn(range, seed, number);
            trial.overrides.push_back(experiment::override_text(range.key, value));
            trial.label += fmt::format("{}{}={}", trial.label.empty() ? "" : " ",
                                       short_key(range.key, keys), shown(value));
        }
    }
    return trials;
}

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

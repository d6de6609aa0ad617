#include "engine/data/split.hpp"

#include "base/random.hpp"
#include "experiment/sampler_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

std::vector<std::int64_t> mixed_numbers(std::int64_t count, std::int64_t seed,
                                        std::string_view purpose) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, derived(static_cast<std::uint64_t>(seed), purpose));
    return order;
}

// Adds the split's part of samples that are in the order of the split.
void take(const experiment::Split& split, const std::vector<std::int64_t>& ordered, double shift,
          std::vector<std::int64_t>& part) {
    const auto count = std::ssize(ordered);
    part.insert(part.end(),
                ordered.begin() + experiment::samples_before(split.share[0], count, shift),
                ordered.begin() + experiment::samples_before(split.share[1], count, shift));
}

// Returns the samples in an order whose cuts have each class in the same proportions: they are
// sorted by class, and dealt to the folds in turn, as cards are.
std::vector<std::int64_t> dealt_by_class(std::vector<std::int64_t> order, std::int64_t folds,
                                         const std::vector<std::int64_t>& labels) {
    std::ranges::stable_sort(
        order, {}, [&](std::int64_t sample) { return labels[static_cast<std::size_t>(sample)]; });
    std::vector<std::int64_t> dealt;
    for (std::int64_t fold = 0; fold < folds; ++fold) {
        for (std::int64_t i = fold; i < std::ssize(order); i += folds) {
            dealt.push_back(order[static_cast<std::size_t>(i)]);
        }
    }
    return dealt;
}

}  // namespace

std::vector<std::int64_t> split_part(const experiment::Split& split, std::int64_t count,
                                     const std::vector<std::int64_t>& labels) {
    const std::vector<std::int64_t> order = mixed_numbers(count, split.seed, "split");
    std::vector<std::int64_t> part;
    if (labels.empty()) {
        take(split, order, experiment::kToTheNearest, part);
    } else {
        std::map<std::int64_t, std::vector<std::int64_t>> classes;
        for (const std::int64_t sample : order) {
            classes[labels[static_cast<std::size_t>(sample)]].push_back(sample);
        }
        // With one shift for all, small classes of one size would all be cut on the same side.
        // These shifts are spread evenly, so that the share of all samples is nearly right too.
        constexpr double kGoldenRatio = 0.6180339887498949;
        double shift = 0.5;
        for (const auto& [label, samples] : classes) {
            take(split, samples, shift, part);
            shift = std::fmod(shift + kGoldenRatio, 1.0);
        }
    }
    std::sort(part.begin(), part.end());
    return part;
}

std::vector<std::int64_t> fold_part(const experiment::Folds& folds, std::int64_t count,
                                    const std::vector<std::int64_t>& labels) {
    std::vector<std::int64_t> order = mixed_numbers(count, folds.fold_seed, "folds");
    if (!labels.empty()) {
        order = dealt_by_class(std::move(order), folds.folds, labels);
    }
    // The first count % folds folds have one sample more.
    const std::int64_t small = count / folds.folds;
    const std::int64_t larger = count % folds.folds;
    const auto begin_of = [&](std::int64_t fold) {
        return order.begin() + fold * small + std::min(fold, larger);
    };
    const auto begin = begin_of(folds.fold);
    const auto end = begin_of(folds.fold + 1);
    std::vector<std::int64_t> part;
    if (folds.is_in_order()) {
        part.assign(begin, end);
    } else {
        part.assign(order.begin(), begin);
        part.insert(part.end(), end, order.end());
    }
    std::sort(part.begin(), part.end());
    return part;
}

}  // namespace ptp::engine

// Cuts samples into folds, for the host's samplers and for components that must know which samples
// these hold out. The functions must never change: runs are reproduced with them.
#pragma once

#include <ptp/splitmix64.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace ptp {

struct FoldCut {
    std::int64_t folds = 2;
    std::int64_t seed = 0;
};

// Returns the numbers below `count` in the order from which the folds are cut.
inline std::vector<std::size_t> order_of_folds(std::size_t count, std::int64_t seed) {
    constexpr std::uint64_t kPurpose = 0xd53294afa96a621b;  // FNV-1a of "folds"
    std::uint64_t state = ptp_splitmix64_mix(
        ptp_splitmix64_mix(static_cast<std::uint64_t>(seed) + PTP_SPLITMIX64_STEP) ^
        (kPurpose * PTP_SPLITMIX64_STEP + 1));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::uint64_t left = count; left > 1; --left) {
        const std::uint64_t excess = (UINT64_MAX % left + 1) % left;  // of an incomplete last round
        std::uint64_t draw = 0;
        do {
            draw = ptp_splitmix64_mix(state += PTP_SPLITMIX64_STEP);
        } while (draw > UINT64_MAX - excess);
        std::swap(order[left - 1], order[draw % left]);
    }
    return order;
}

// Returns the fold of each of `count` samples. The sizes of the folds differ by at most one.
inline std::vector<std::int64_t> fold_of_each(std::size_t count, FoldCut cut) {
    const std::vector<std::size_t> order = order_of_folds(count, cut.seed);
    const auto folds = static_cast<std::size_t>(cut.folds);
    std::vector<std::int64_t> fold_of(count);
    std::size_t end = 0;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        const std::size_t begin = end;
        end += count / folds + (fold < count % folds ? 1 : 0);
        for (std::size_t i = begin; i < end; ++i) {
            fold_of[order[i]] = static_cast<std::int64_t>(fold);
        }
    }
    return fold_of;
}

// Returns the same for folds that differ by at most one sample of each class, too: the samples are
// sorted by class, and dealt to the folds in turn, as cards are.
template <class Class>
std::vector<std::int64_t> fold_of_each_by_class(const std::vector<Class>& classes, FoldCut cut) {
    std::vector<std::size_t> order = order_of_folds(classes.size(), cut.seed);
    std::ranges::stable_sort(order, {}, [&](std::size_t sample) { return classes[sample]; });
    std::vector<std::int64_t> fold_of(classes.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        fold_of[order[i]] = static_cast<std::int64_t>(i % static_cast<std::size_t>(cut.folds));
    }
    return fold_of;
}

// Returns the same for folds that have whole groups: the largest group first, each goes to the fold
// that has the fewest samples so far, as in scikit-learn's GroupKFold.
template <class Group>
std::vector<std::int64_t> fold_of_each_by_group(const std::vector<Group>& groups, FoldCut cut) {
    std::map<Group, std::size_t> places;  // of each group in `sizes`
    std::vector<std::size_t> sizes;
    for (const std::size_t sample : order_of_folds(groups.size(), cut.seed)) {  // mixes equal ones
        const std::size_t place = places.emplace(groups[sample], sizes.size()).first->second;
        sizes.resize(std::max(sizes.size(), place + 1));
        ++sizes[place];
    }
    std::vector<std::size_t> largest_first(sizes.size());
    std::iota(largest_first.begin(), largest_first.end(), std::size_t{0});
    std::ranges::stable_sort(largest_first, std::ranges::greater(),
                             [&](std::size_t place) { return sizes[place]; });
    std::vector<std::size_t> filled(static_cast<std::size_t>(cut.folds));
    std::vector<std::int64_t> fold_of_group(sizes.size());
    for (const std::size_t place : largest_first) {
        const auto fold = std::ranges::min_element(filled);
        *fold += sizes[place];
        fold_of_group[place] = fold - filled.begin();
    }
    std::vector<std::int64_t> fold_of;
    for (const Group& group : groups) {
        fold_of.push_back(fold_of_group[places.at(group)]);
    }
    return fold_of;
}

}  // namespace ptp

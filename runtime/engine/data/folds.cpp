#include "engine/data/folds.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <numeric>

namespace ptp::engine {

std::vector<std::int64_t> fold_part(const experiment::Sampler& sampler, std::int64_t count) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, derived(static_cast<std::uint64_t>(sampler.fold_seed), "folds"));
    // The first count % folds folds have one sample more.
    const std::int64_t small = count / sampler.folds;
    const std::int64_t larger = count % sampler.folds;
    const auto begin_of = [&](std::int64_t fold) {
        return order.begin() + fold * small + std::min(fold, larger);
    };
    const auto begin = begin_of(sampler.fold);
    const auto end = begin_of(sampler.fold + 1);
    std::vector<std::int64_t> part;
    if (sampler.part == "validation") {
        part.assign(begin, end);
    } else {
        part.assign(order.begin(), begin);
        part.insert(part.end(), end, order.end());
    }
    std::sort(part.begin(), part.end());
    return part;
}

}  // namespace ptp::engine

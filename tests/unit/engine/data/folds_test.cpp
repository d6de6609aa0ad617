#include "engine/data/folds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

using ptp::engine::fold_part;
using Samples = std::vector<std::int64_t>;

namespace {

Samples part(const char* name, std::int64_t count, std::int64_t folds, std::int64_t fold,
             std::int64_t seed = 0) {
    ptp::experiment::Sampler sampler;
    sampler.folds = folds;
    sampler.fold = fold;
    sampler.part = name;
    sampler.fold_seed = seed;
    return fold_part(sampler, count);
}

}  // namespace

TEST_CASE("folds: they cover all samples, share none, and differ by at most one sample") {
    for (const std::int64_t count : {2, 3, 10, 20, 47, 1000}) {
        for (const std::int64_t folds : {2, 3, 7, 10, 999}) {
            if (folds > count) {
                continue;
            }
            CAPTURE(count);
            CAPTURE(folds);
            Samples all;
            std::size_t smallest = static_cast<std::size_t>(count);
            std::size_t largest = 0;
            for (std::int64_t fold = 0; fold < folds; ++fold) {
                const Samples held_out = part("validation", count, folds, fold);
                smallest = std::min(smallest, held_out.size());
                largest = std::max(largest, held_out.size());
                all.insert(all.end(), held_out.begin(), held_out.end());
            }
            std::sort(all.begin(), all.end());
            Samples expected(static_cast<std::size_t>(count));
            std::iota(expected.begin(), expected.end(), 0);
            CHECK(all == expected);
            CHECK(smallest >= 1);
            CHECK(largest - smallest <= 1);
        }
    }
}

TEST_CASE("folds: no sample of a fold is in its training part, and every other one is") {
    for (std::int64_t fold = 0; fold < 7; ++fold) {
        const Samples training = part("training", 10, 7, fold);
        const Samples held_out = part("validation", 10, 7, fold);
        std::set<std::int64_t> all(training.begin(), training.end());
        for (const std::int64_t sample : held_out) {
            CHECK(all.insert(sample).second);
        }
        CHECK(all.size() == 10);
        CHECK(training.size() + held_out.size() == 10);
    }
}

TEST_CASE("folds: which samples are in a fold depends on the folds' own seed") {
    CHECK(part("validation", 100, 5, 2, 1) == part("validation", 100, 5, 2, 1));
    CHECK(part("validation", 100, 5, 2, 1) != part("validation", 100, 5, 2, 2));
    const Samples held_out = part("validation", 100, 5, 2);
    CHECK(std::is_sorted(held_out.begin(), held_out.end()));
}


#include "base/error.hpp"
#include "engine/data/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace split_test {

using ptp::RunError;
using namespace ptp::engine;
using namespace ptp::experiment;
using Samples = std::vector<std::int64_t>;

namespace {

Split split(double begin, double end, std::int64_t seed = 0) {
    return {.share = {begin, end}, .seed = seed};
}

Samples part(double begin, double end, std::int64_t count, const Samples& labels = {},
             std::int64_t seed = 0) {
    return split_part(split(begin, end, seed), count, labels);
}

std::map<std::int64_t, std::int64_t> counts_of(const Samples& samples, const Samples& labels) {
    std::map<std::int64_t, std::int64_t> counts;
    for (const std::int64_t sample : samples) {
        ++counts[labels[static_cast<std::size_t>(sample)]];
    }
    return counts;
}

// Class k has sizes[k] samples, mixed.
Samples labels_of(const std::vector<std::int64_t>& sizes) {
    Samples labels;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        labels.insert(labels.end(), static_cast<std::size_t>(sizes[k]),
                      static_cast<std::int64_t>(k));
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        std::swap(labels[i], labels[i * 7 % labels.size()]);
    }
    return labels;
}

Samples fold(const char* part, std::int64_t count, std::int64_t folds, std::int64_t held_out,
             std::int64_t seed = 0) {
    return fold_part({.folds = folds, .fold = held_out, .part = part, .fold_seed = seed}, count,
                     {});
}

// How many samples of each class, 0 to 2, a fold of three has, or what is outside of it.
std::vector<std::int64_t> classes_in(const char* part, std::int64_t held_out,
                                     const Samples& labels) {
    const Samples some =
        fold_part({.folds = 3, .fold = held_out, .part = part}, std::ssize(labels), labels);
    std::map<std::int64_t, std::int64_t> counts = counts_of(some, labels);
    return {counts[0], counts[1], counts[2]};
}

}  // namespace

TEST_CASE("split: shares that meet have no sample in common and leave none out") {
    constexpr std::array kCuts = {0.0, 0.1, 0.3, 1.0 / 3, 0.7, 0.8, 1.0};
    for (const std::int64_t count : {1, 2, 3, 10, 47, 1000}) {
        CAPTURE(count);
        std::vector<std::int64_t> sizes = {count / 2, count - count / 2 - count / 7, count / 7};
        const Samples labels = labels_of(sizes);
        for (const Samples& used : {Samples(), labels}) {
            Samples all;
            for (std::size_t i = 0; i + 1 < kCuts.size(); ++i) {
                const Samples some = part(kCuts[i], kCuts[i + 1], count, used);
                CHECK(std::is_sorted(some.begin(), some.end()));
                all.insert(all.end(), some.begin(), some.end());
            }
            std::sort(all.begin(), all.end());
            Samples wanted(static_cast<std::size_t>(count));
            std::iota(wanted.begin(), wanted.end(), 0);
            CHECK(all == wanted);
        }
    }
}

TEST_CASE("split: a share has its part of the samples, to the nearest") {
    CHECK(part(0, 0.7, 10).size() == 7);
    CHECK(part(0.7, 1, 10).size() == 3);
    CHECK(part(0, 0.8, 16).size() == 13);  // 12.8
    CHECK(part(0.8, 1, 16).size() == 3);
    CHECK(part(0, 1, 16).size() == 16);
    CHECK(part(0, 0.01, 16).empty());
}

TEST_CASE("split: the samples are mixed, as the split's seed says") {
    const Samples some = part(0, 0.5, 1000);
    Samples first(500);
    std::iota(first.begin(), first.end(), 0);
    CHECK(some != first);
    CHECK(some == part(0, 0.5, 1000));
    CHECK(some != part(0, 0.5, 1000, {}, 1));
    // Of 500 drawn from the first and the second half about as many: 250 +- 5 * 7.9.
    const auto low = std::count_if(some.begin(), some.end(), [](auto s) { return s < 500; });
    CHECK(std::abs(low - 250) < 40);
}

TEST_CASE("split: a stratified share has its part of each class, to within one sample") {
    const std::vector<std::vector<std::int64_t>> cases = {
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}, {100, 10, 1}, {7, 13, 29, 3}, {1000, 999}};
    constexpr std::array<std::array<double, 2>, 4> kShares = {
        {{0, 0.8}, {0.8, 1}, {0.25, 0.5}, {0, 0.05}}};
    for (const auto& sizes : cases) {
        const Samples labels = labels_of(sizes);
        for (const auto& [begin, end] : kShares) {
            const Samples some = part(begin, end, std::ssize(labels), labels);
            auto counts = counts_of(some, labels);
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                const double wanted = (end - begin) * static_cast<double>(sizes[k]);
                CAPTURE(sizes[k]);
                CHECK(std::abs(static_cast<double>(counts[static_cast<std::int64_t>(k)]) - wanted) <
                      1);
            }
        }
    }
    // Ten classes with one sample each: not all of them on one side.
    const Samples labels = labels_of(std::vector<std::int64_t>(10, 1));
    const auto size = std::ssize(part(0, 0.8, 10, labels));
    CHECK(size >= 7);
    CHECK(size <= 9);
}

TEST_CASE("split: the order of an epoch depends on the run's seed, the share does not") {
    ptp::experiment::Section section;
    section.name = "training";
    section.sampler = Sampler{RandomSplitSampler{split(0, 0.8, 7)}};
    Samples one = Sampling(section, 100, 1).order(0);
    Samples other = Sampling(section, 100, 2).order(0);
    CHECK(one.size() == 80);
    CHECK(one != other);
    CHECK(one != Sampling(section, 100, 1).order(1));
    std::sort(one.begin(), one.end());
    std::sort(other.begin(), other.end());
    CHECK(one == other);
    section.sampler->get<Split>()->is_measured = true;
    CHECK(Sampling(section, 100, 1).order(5) == one);
}

TEST_CASE("split: a share without samples, and labels that are too few, are refused") {
    ptp::experiment::Section section;
    section.name = "training";
    section.task.type = "MNIST";
    section.sampler = Sampler{RandomSplitSampler{split(0, 0.01)}, {"x.toml", 3, 9}};
    CHECK_THROWS_WITH_AS(
        Sampling(section, 16, 1),
        "x.toml:3:9: training.sampler.share: [0, 0.01] of the 16 samples of MNIST is empty",
        RunError);
    StratifiedSplitSampler stratified{split(0, 0.01), {}};
    section.sampler->options = stratified;
    CHECK_THROWS_WITH_AS(
        Sampling(section, 3, 1, {.labels = {0, 1, 2}}),
        "x.toml:3:9: training.sampler.share: [0, 0.01] of the 3 samples of MNIST is empty",
        RunError);
    stratified.labels = {{0, 1}, {"x.toml", 4, 1}};
    section.sampler->options = stratified;
    CHECK_THROWS_WITH_AS(Sampling(section, 3, 1, {.labels = {0, 1}}),
                         "x.toml:4:1: training.sampler.labels: has 2 numbers, but MNIST has 3 "
                         "samples; there must be one for each",
                         RunError);
}

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
            for (std::int64_t held = 0; held < folds; ++held) {
                const Samples held_out = fold("validation", count, folds, held);
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
    for (std::int64_t held = 0; held < 7; ++held) {
        const Samples training = fold("training", 10, 7, held);
        const Samples held_out = fold("validation", 10, 7, held);
        std::set<std::int64_t> all(training.begin(), training.end());
        for (const std::int64_t sample : held_out) {
            CHECK(all.insert(sample).second);
        }
        CHECK(all.size() == 10);
        CHECK(training.size() + held_out.size() == 10);
    }
}

TEST_CASE("folds: with labels each fold has each class's share, to within one sample") {
    // 7, 4 and 1 samples, dealt to three folds in turn: 0120120 1201 2.
    const Samples labels = labels_of({7, 4, 1});
    using Counts = std::vector<std::int64_t>;
    CHECK(classes_in("validation", 0, labels) == Counts{3, 1, 0});
    CHECK(classes_in("validation", 1, labels) == Counts{2, 2, 0});
    CHECK(classes_in("validation", 2, labels) == Counts{2, 1, 1});
    CHECK(classes_in("training", 0, labels) == Counts{4, 3, 1});
    CHECK(classes_in("training", 1, labels) == Counts{5, 2, 1});
    CHECK(classes_in("training", 2, labels) == Counts{5, 3, 0});
    Samples all;
    for (const std::int64_t held_out : {0, 1, 2}) {
        const Samples some =
            fold_part({.folds = 3, .fold = held_out, .part = "validation"}, 12, labels);
        CHECK(std::is_sorted(some.begin(), some.end()));
        all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    CHECK(all == Samples{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("folds: with labels the samples of a class are mixed, as the folds' own seed says") {
    const Samples labels(1000, 5);
    const auto held_out = [&](std::int64_t seed) {
        return fold_part({.folds = 2, .fold = 0, .part = "validation", .fold_seed = seed}, 1000,
                         labels);
    };
    CHECK(held_out(0).size() == 500);
    CHECK(held_out(0) == held_out(0));
    CHECK(held_out(0) != held_out(1));
    // Of the first half about as many as of the second: 250 +- 5 * 7.9.
    const Samples some = held_out(0);
    const auto low = std::count_if(some.begin(), some.end(), [](auto s) { return s < 500; });
    CHECK(std::abs(low - 250) < 40);
}

TEST_CASE("folds: which samples are in a fold depends on the folds' own seed") {
    CHECK(fold("validation", 100, 5, 2, 1) == fold("validation", 100, 5, 2, 1));
    CHECK(fold("validation", 100, 5, 2, 1) != fold("validation", 100, 5, 2, 2));
    const Samples held_out = fold("validation", 100, 5, 2);
    CHECK(std::is_sorted(held_out.begin(), held_out.end()));
}

TEST_CASE("split: each group is in one fold, the largest first, in the emptiest fold so far") {
    // Groups of 5, 3, 2 and 2 samples: the folds get 5 + 2 and 3 + 2.
    const std::vector<std::int64_t> groups = {7, 7, 1, 4, 7, 1, 9, 4, 7, 9, 1, 7};
    std::set<std::int64_t> held_out;
    for (std::int64_t fold = 0; fold < 2; ++fold) {
        const auto measured = group_part({.folds = 2, .fold = fold, .part = "validation"}, groups);
        const auto trained = group_part({.folds = 2, .fold = fold, .part = "training"}, groups);
        CHECK(measured.size() == (fold == 0 ? 7 : 5));
        CHECK(measured.size() + trained.size() == 12);
        for (const std::int64_t sample : measured) {
            CHECK(held_out.insert(sample).second);
            for (const std::int64_t other : trained) {
                CHECK(groups[static_cast<std::size_t>(sample)] !=
                      groups[static_cast<std::size_t>(other)]);
            }
        }
    }
    CHECK(held_out.size() == 12);
}

}  // namespace split_test

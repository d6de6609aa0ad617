#include "engine/data/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace draw_test {

using namespace ptp::engine;
using Order = std::vector<std::int64_t>;

namespace {

std::map<std::int64_t, int> counted(const Order& order) {
    std::map<std::int64_t, int> counts;
    for (const std::int64_t sample : order) {
        ++counts[sample];
    }
    return counts;
}

}  // namespace

// Pearson's test: with 5 degrees of freedom the statistic is above 20.515 once in a thousand
// (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4).
TEST_CASE("draw: samples come as often as their weights say") {
    constexpr double kOnceInAThousand = 20.515;
    constexpr std::uint64_t kDraws = 60000;
    const std::vector<double> weights = {1, 2, 3, 0, 0.5, 3.5, 2};  // of a sum of 12
    const Order samples = {10, 11, 12, 13, 14, 15, 16};
    for (const std::uint64_t key : {1, 2, 3}) {
        CAPTURE(key);
        auto counts = counted(weighted_order(samples, weights, kDraws, key));
        double statistic = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const double expected = kDraws * weights[i] / 12;
            const int count = counts[10 + static_cast<std::int64_t>(i)];
            if (expected == 0) {
                CHECK(count == 0);
            } else {
                statistic += (count - expected) * (count - expected) / expected;
            }
        }
        CHECK(statistic < kOnceInAThousand);
    }
}

TEST_CASE("draw: a draw by weights is a function of its key") {
    const auto drawn = [](std::uint64_t count, std::uint64_t key) {
        return weighted_order({0, 1, 2}, {1, 1, 1}, count, key);
    };
    CHECK(drawn(50, 7) == drawn(50, 7));
    CHECK(drawn(50, 7) != drawn(50, 8));
    CHECK(drawn(0, 7).empty());
}

TEST_CASE("draw: a balanced one has as many of each class, and each sample as often as others") {
    // Classes of 1, 3 and 6 samples.
    const Order labels = {5, -100, 5, 9, 9, 9, 9, 5, 9, 9};
    for (const std::uint64_t count : {1, 2, 10, 31, 90}) {
        CAPTURE(count);
        const Order order = balanced_order(labels, count, 3);
        CHECK(order.size() == count);
        std::map<std::int64_t, std::uint64_t> of_class;
        std::map<std::int64_t, std::array<int, 2>> range = {
            {5, {1000, 0}}, {-100, {1000, 0}}, {9, {1000, 0}}};
        auto counts = counted(order);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const int times = counts[static_cast<std::int64_t>(i)];
            of_class[labels[i]] += static_cast<std::uint64_t>(times);
            auto& [least, most] = range[labels[i]];
            least = std::min(least, times);
            most = std::max(most, times);
        }
        for (const auto& [label, total] : of_class) {
            CAPTURE(label);
            CHECK(total >= count / 3);
            CHECK(total <= (count + 2) / 3);
            CHECK(range[label][1] - range[label][0] <= 1);
        }
    }
}

TEST_CASE("draw: a balanced one mixes its classes, as its key says") {
    Order labels(100);
    for (std::size_t i = 50; i < 100; ++i) {
        labels[i] = 1;
    }
    const Order order = balanced_order(labels, 100, 1);
    CHECK(order == balanced_order(labels, 100, 1));
    CHECK(order != balanced_order(labels, 100, 2));
    // All of one class in one half would have a chance of 2 in 100 over 50.
    CHECK(std::any_of(order.begin(), order.begin() + 50, [](auto i) { return i < 50; }));
    CHECK(std::any_of(order.begin(), order.begin() + 50, [](auto i) { return i >= 50; }));
}

// By hand from what the shuffling makes of 0 to 10, computed by another implementation of it, in
// batches of 2 and pools of 2 batches.
TEST_CASE("draw: lengths are sorted within pools, whose batches are shuffled") {
    //                     0  1  2  3  4  5  6  7  8  9  10
    const Order lengths = {5, 3, 9, 3, 7, 1, 3, 8, 2, 6, 4};
    const LengthGrouping grouping{.lengths = lengths, .batch_size = 2, .pool = 2};
    const Order all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    // Shuffled: 8 1 9 10 | 6 7 5 3 | 0 4 | 2, sorted: 8 1, 10 9 | 5 6, 3 7 | 0 4 | 2.
    CHECK(grouped_order(grouping, all, 7) == Order{0, 4, 3, 7, 5, 6, 10, 9, 8, 1, 2});
    // Shuffled: 10 5 1 2 | 9 6 0 8 | 4 7 | 3, sorted: 5 1, 10 2 | 8 6, 0 9 | 4 7 | 3.
    CHECK(grouped_order(grouping, all, 8) == Order{10, 2, 5, 1, 4, 7, 8, 6, 0, 9, 3});
}

TEST_CASE("draw: lengths of fewer samples than a batch, or of none, change nothing") {
    const LengthGrouping grouping{.lengths = {3, 2, 1}, .batch_size = 4, .pool = 2};
    CHECK(grouped_order(grouping, {}, 1).empty());
    Order order = grouped_order(grouping, {2, 0, 1}, 1);
    std::sort(order.begin(), order.end());
    CHECK(order == Order{0, 1, 2});
    const LengthGrouping huge{.lengths = {3, 2, 1}, .batch_size = 1, .pool = UINT64_MAX};
    CHECK(grouped_order(huge, {2, 0, 1}, 1).size() == 3);
}

}  // namespace draw_test

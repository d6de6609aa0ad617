// Numbers of three traces, and the formulas that have them.

#include "engine/export/size_solver.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace size_solver_test {

namespace {

using ptp::engine::GraphSize;
using ptp::engine::solve_size;

// The batch is 3, 5, 11, and a length 4, 7, 11.
const std::vector<std::vector<std::int64_t>> kSizes = {{3, 4}, {5, 7}, {11, 11}};

std::optional<GraphSize> solved(const std::vector<std::int64_t>& values) {
    return solve_size(values, kSizes);
}

}  // namespace

TEST_CASE("size solver: a number that never differs is a constant") {
    CHECK(solved({3, 3, 3}) == GraphSize{.constant = 3});
    CHECK(solved({-1, -1, -1}) == GraphSize{.constant = -1});
}

TEST_CASE("size solver: multiples, products and neighbors of sizes are found") {
    CHECK(solved({3, 5, 11}) == GraphSize{0, 1, {0}});
    CHECK(solved({24, 40, 88}) == GraphSize{0, 8, {0}});
    CHECK(solved({3, 6, 10}) == GraphSize{-1, 1, {1}});
    CHECK(solved({12, 35, 121}) == GraphSize{0, 1, {0, 1}});
    CHECK(solved({16, 49, 121}) == GraphSize{0, 1, {1, 1}});
}

TEST_CASE("size solver: what no formula has, or a large constant, is not guessed") {
    CHECK_FALSE(solved({1, 2, 5}));        // half of the batch, rounded down
    CHECK_FALSE(solved({103, 105, 111}));  // 100 more than the batch
    CHECK_FALSE(solved({5, 3, 11}));
}

}  // namespace size_solver_test

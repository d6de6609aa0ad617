// The samples whose losses stay high over the passes.

#include "ptp-report/losses_by_pass.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace losses_by_pass_test {

using ptp::Json;
using ptp::report::LossesByPass;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("losses by pass: the samples with the largest sums have a row for each pass") {
    LossesByPass losses;
    losses.add("1", {7, 8, 9}, {1, 5, 2});
    losses.add("2", {7, 8, 9}, {6, 1, 2});
    const Json worst = losses.worst(2);
    CHECK(worst["index"] == Json({7, 8}));  // sums: 7, 6, 4
    CHECK(worst["epochs"] == Json({"1", "2"}));
    CHECK(worst["rows"] == Json({{1, 5}, {6, 1}}));
    CHECK(worst["low"] == Json(2));  // the median of 6, 1 and 2
    // Their mean is 3; the squares of the differences are 9, 4 and 1: 3 + 6 * sqrt(14 / 3).
    CHECK(worst["high"] == Json(15.9615));
}

TEST_CASE("losses by pass: samples are found by their numbers, and unknown losses are null") {
    LossesByPass losses;
    losses.add("1", {3, 1}, {4, kNan});
    losses.add("2", {1, 2, 3}, {1, 2, std::numeric_limits<float>::infinity()});
    const Json worst = losses.worst(5);
    CHECK(worst["index"] == Json({3, 2, 1}));
    CHECK(worst["rows"] == Json({{4, nullptr, nullptr}, {nullptr, 2, 1}}));
}

TEST_CASE("losses by pass: one pass alone has nothing to compare") {
    LossesByPass losses;
    CHECK(losses.worst(2) == Json());
    losses.add("1", {1}, {2});
    CHECK(losses.worst(2) == Json());
    losses.add("2", {1}, {kNan});
    CHECK(losses.worst(2)["low"] == Json());
}

}  // namespace losses_by_pass_test

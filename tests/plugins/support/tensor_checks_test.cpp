#include "tensor_checks.hpp"

#include "support/scalar_reads.hpp"

#include <ptp/error.hpp>

#include <ATen/ATen.h>
#include <doctest/doctest.h>

namespace tensor_checks_test {

using ptp::DataError;
using ptp::support::are_classes;
using ptp::support::kAnySize;
using ptp::support::require_classes;
using ptp::support::require_declared_sizes;
using ptp::support::require_none;
using ptp::support::require_sizes;

TEST_CASE("tensor checks: sizes are those that are asked for, or both are said") {
    const at::Tensor masks = at::zeros({2, 3});
    require_sizes("masks", masks, {2, 3}, "as targets has");
    CHECK_THROWS_WITH_AS(require_sizes("masks", masks, {3, 2}, "as targets has"),
                         "masks has the sizes [2, 3], must have [3, 2], as targets has", DataError);
    CHECK_THROWS_WITH_AS(require_sizes("masks", masks, {2}, "as targets has"),
                         "masks has the sizes [2, 3], must have [2], as targets has", DataError);
    require_sizes("loss", at::zeros({}), {}, "those of a number");
}

TEST_CASE("tensor checks: sizes are those of the declaration, where some may be any") {
    const at::Tensor images = at::zeros({2, 3});
    require_declared_sizes("images", images, {2, 3});
    require_declared_sizes("images", images, {kAnySize, 3});
    require_declared_sizes("loss", at::zeros({}), {});
    CHECK_THROWS_WITH_AS(require_declared_sizes("images", images, {kAnySize, 4}),
                         "images has the sizes [2, 3], must have [any, 4], as its port declares",
                         DataError);
    CHECK_THROWS_WITH_AS(require_declared_sizes("images", images, {kAnySize}),
                         "images has the sizes [2, 3], must have [any], as its port declares",
                         DataError);
    CHECK_THROWS_WITH_AS(require_declared_sizes("images", images, {kAnySize, 3, 1}),
                         "images has the sizes [2, 3], must have [any, 3, 1], as its port declares",
                         DataError);
}

TEST_CASE("tensor checks: the first wrong element is said, with its place and its value") {
    const at::Tensor integers = at::arange(6).view({2, 3});
    require_none(integers.gt(5), "targets", integers, "be small");
    CHECK_THROWS_WITH_AS(require_none(integers.gt(3), "targets", integers, "be in [0, 3]"),
                         "targets[1, 1] = 4: must be in [0, 3]", DataError);
    const at::Tensor reals = at::tensor({0.5, 2.5, -1.0}).requires_grad_(true);
    CHECK_THROWS_WITH_AS(require_none(reals.gt(2), "scores", reals, "be at most 2"),
                         "scores[1] = 2.5: must be at most 2", DataError);
    const at::Tensor number = at::full({}, 7, at::kLong);
    CHECK_THROWS_WITH_AS(require_none(number.eq(7), "count", number, "not be 7"),
                         "count = 7: must not be 7", DataError);
    const at::Tensor nothing = at::zeros({0, 3});
    require_none(nothing.gt(0), "targets", nothing, "be small");
}

TEST_CASE("tensor checks: a class is at least 0 and less than their number") {
    CHECK(are_classes(at::tensor({0, 4, 2}), 5));
    CHECK_FALSE(are_classes(at::tensor({0, 5, 2}), 5));
    CHECK_FALSE(are_classes(at::tensor({0, -1, 2}), 5));
    CHECK(are_classes(at::empty({0}, at::kLong), 0));
}

TEST_CASE("tensor checks: both ends of the classes are read at once") {
    const ptp::test::ScalarReads reads;
    CHECK(are_classes(at::tensor({0, 4, 2}), 5));
    CHECK(reads.count() == 0);
    CHECK(at::tensor({3})[0].item<int64_t>() == 3);
    CHECK(reads.count() == 1);
}

TEST_CASE("tensor checks: only targets that count must be classes") {
    const at::Tensor targets = at::tensor({1, -100, 7}, at::kLong);
    const at::Tensor first = at::tensor({1, 0, 0}, at::kLong).to(at::kBool);
    const at::Tensor first_two = at::tensor({1, 1, 0}, at::kLong).to(at::kBool);
    require_classes(
        {.name = "targets", .targets = targets, .counted = first, .classes = 5, .others = ""});
    CHECK_THROWS_WITH_AS(require_classes({.name = "targets",
                                          .targets = targets,
                                          .counted = first_two,
                                          .classes = 5,
                                          .others = " or ignore_index = -1"}),
                         "targets[1] = -100: must be in [0, 5) or ignore_index = -1", DataError);
}

}  // namespace tensor_checks_test

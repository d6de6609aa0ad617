// Multiply-adds of products of matrices, by hand.

#include "engine/output/operation_costs.hpp"

#include <ATen/ops/addbmm.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

namespace operation_costs_test {

using ptp::engine::OperationCosts;

TEST_CASE("operation costs: sums of products of matrices, each product with all of its batch") {
    const at::Tensor left = at::zeros({5, 2, 3});
    const at::Tensor right = at::zeros({5, 3, 4});
    const at::Tensor sum = at::zeros({2, 4});
    const at::Tensor sums = at::zeros({5, 2, 4});
    const auto cost_of = [](const auto& work) {
        const OperationCosts costs;
        work();
        return costs.multiply_adds();
    };
    CHECK(cost_of([&] { at::addmm(sum, left[0], right[0]); }) == 2 * 3 * 4);
    CHECK(cost_of([&] { at::addbmm(sum, left, right); }) == 5 * 2 * 3 * 4);
    CHECK(cost_of([&] { at::baddbmm(sums, left, right); }) == 5 * 2 * 3 * 4);
}

}  // namespace operation_costs_test

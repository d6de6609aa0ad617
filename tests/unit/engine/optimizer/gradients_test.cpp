#include "engine/optimizer/gradients.hpp"

#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

namespace gradients_test {

using namespace ptp;
using namespace ptp::engine;

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

std::vector<at::Tensor> gradients(double first, double second, double third) {
    return {torch::tensor({first, second}, at::kDouble), torch::tensor({{third}}, at::kDouble)};
}

std::vector<double> values(const std::vector<at::Tensor>& gradients) {
    return {gradients[0][0].item<double>(), gradients[0][1].item<double>(),
            gradients[1][0][0].item<double>()};
}

}  // namespace

TEST_CASE("gradients: clipping by value cuts each element") {
    const auto clipped = gradients(3, -0.5, -7);
    clip(clipped, {.is_by_norm = false, .limit = 0.75});
    CHECK(values(clipped) == std::vector<double>{0.75, -0.5, -0.75});
}

TEST_CASE("gradients: clipping by norm scales all alike") {
    const auto clipped = gradients(2, -3, 6);  // norm 7
    clip(clipped, {.is_by_norm = true, .limit = 1.0});
    const double scale = 1.0 / (7 + 1e-6);  // PyTorch's
    CHECK(values(clipped)[0] == doctest::Approx(2 * scale).epsilon(1e-14));
    CHECK(values(clipped)[1] == doctest::Approx(-3 * scale).epsilon(1e-14));
    CHECK(values(clipped)[2] == doctest::Approx(6 * scale).epsilon(1e-14));
}

TEST_CASE("gradients: clipping by norm leaves small gradients as they are") {
    const auto clipped = gradients(2, -3, 6);
    clip(clipped, {.is_by_norm = true, .limit = 7.1});
    CHECK(values(clipped) == std::vector<double>{2, -3, 6});
    clip({}, {.is_by_norm = true, .limit = 1});
}

TEST_CASE("gradients: a single element that is not a finite number is found") {
    CHECK(are_finite(gradients(1, 2, 3)));
    CHECK(are_finite({}));
    for (const double bad : {kNan, kInf, -kInf}) {
        CAPTURE(bad);
        CHECK_FALSE(are_finite(gradients(bad, 2, 3)));
        CHECK_FALSE(are_finite(gradients(1, bad, 3)));
        CHECK_FALSE(are_finite(gradients(1, 2, bad)));
    }
    // Large ones are finite, although the sum of their squares is not.
    CHECK(are_finite({torch::tensor({3e38F, -3e38F})}));
}

TEST_CASE("gradients: parameters without one are left out") {
    const at::Tensor with = torch::ones({2}).requires_grad_();
    const at::Tensor without = torch::ones({2}).requires_grad_();
    with.sum().backward();
    CHECK(gradients_of({{"a", with}, {"b", without}}).size() == 1);
}

}  // namespace gradients_test

#include "engine/optim/optimizer.hpp"

#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>
#include <torch/types.h>

#include <cmath>

using ptp::engine::Optimizer;

namespace {

// What one step makes of the parameters 1 and 1 when their gradients are 3 and -0.5.
std::pair<double, double> one_step(const ptp::config::Optimizer& options,
                                   std::optional<double> clipping = std::nullopt) {
    at::Tensor parameter = torch::ones({2}, at::TensorOptions(at::kDouble).requires_grad(true));
    Optimizer optimizer(options, clipping, {{"p", parameter}});
    (parameter * torch::tensor({3.0, -0.5}, at::kDouble)).sum().backward();
    optimizer.step();
    optimizer.forget_gradients();
    CHECK_FALSE(parameter.grad().defined());
    return {parameter[0].item<double>(), parameter[1].item<double>()};
}

}  // namespace

TEST_CASE("optimizer: the first steps agree with the formulas") {
    struct Case {
        ptp::config::Optimizer options;
        double first;
        double second;
    };
    const auto rms = [](double g) { return 0.1 * g / (std::sqrt(0.01 * g * g) + 1e-8); };
    const Case cases[] = {
        {{.type = "SGD", .lr = 0.1}, 1 - 0.3, 1 + 0.05},
        {{.type = "SGD", .lr = 0.1, .weight_decay = 2.0}, 1 - 0.1 * (3 + 2), 1 - 0.1 * (-0.5 + 2)},
        // The bias correction makes the first step of Adam one of the learning rate.
        {{.type = "Adam", .lr = 0.1}, 0.9, 1.1},
        {{.type = "AdamW", .lr = 0.1, .weight_decay = 0.5}, 0.95 - 0.1, 0.95 + 0.1},
        {{.type = "RMSprop", .lr = 0.1}, 1 - rms(3), 1 - rms(-0.5)},
    };
    for (const Case& c : cases) {
        CAPTURE(c.options.type);
        const auto [first, second] = one_step(c.options);
        CHECK(first == doctest::Approx(c.first).epsilon(1e-6));
        CHECK(second == doctest::Approx(c.second).epsilon(1e-6));
    }
}

TEST_CASE("optimizer: clipping cuts each element of a gradient") {
    const auto [first, second] = one_step({.type = "SGD", .lr = 1.0}, 0.75);
    CHECK(first == doctest::Approx(0.25));
    CHECK(second == doctest::Approx(1.5));
}

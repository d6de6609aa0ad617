#include "engine/optim/optimizer.hpp"

#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>
#include <torch/types.h>

#include <cmath>
#include <utility>
#include <vector>

using ptp::engine::Optimizer;

namespace {

// What one step makes of the parameters 1 and 1 when their gradients are 3 and -0.5.
std::pair<double, double> one_step(const ptp::experiment::Optimizer& options) {
    at::Tensor parameter = torch::ones({2}, at::TensorOptions(at::kDouble).requires_grad(true));
    Optimizer optimizer({{"", options, {{"net.p", parameter}}}});
    (parameter * torch::tensor({3.0, -0.5}, at::kDouble)).sum().backward();
    optimizer.step();
    optimizer.forget_gradients();
    CHECK_FALSE(parameter.grad().defined());
    return {parameter[0].item<double>(), parameter[1].item<double>()};
}

}  // namespace

TEST_CASE("optimizer: the first steps agree with the formulas") {
    struct Case {
        ptp::experiment::Optimizer options;
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
        {{.type = "Adagrad", .lr = 0.1, .eps = 0}, 1 - 0.1, 1 + 0.1},
    };
    for (const Case& c : cases) {
        CAPTURE(c.options.type);
        const auto [first, second] = one_step(c.options);
        CHECK(first == doctest::Approx(c.first).epsilon(1e-6));
        CHECK(second == doctest::Approx(c.second).epsilon(1e-6));
    }
}

TEST_CASE("optimizer: groups have options of their own") {
    const ptp::experiment::Optimizer all[] = {
        {.type = "SGD"},
        {.type = "Adam"},
        {.type = "AdamW", .weight_decay = 0.01},
        {.type = "RMSprop"},
        {.type = "Adagrad", .initial_accumulator_value = 0.5},
    };
    for (ptp::experiment::Optimizer options : all) {
        CAPTURE(options.type);
        const auto make = [](const at::Tensor& from) { return from.clone().requires_grad_(); };
        const at::Tensor start = torch::tensor({1.0, -2.0}, at::kDouble);
        const at::Tensor slow = make(start);
        const at::Tensor fast = make(start);
        const at::Tensor apart_slow = make(start);
        const at::Tensor apart_fast = make(start);
        options.lr = 0.1;
        ptp::experiment::Optimizer faster = options;
        faster.lr = 0.3;
        faster.weight_decay = 0.2;
        Optimizer both({{"", options, {{"a.p", slow}}}, {"b", faster, {{"b.p", fast}}}});
        Optimizer one({{"", options, {{"a.p", apart_slow}}}});
        Optimizer other({{"b", faster, {{"b.p", apart_fast}}}});
        for (int i = 0; i < 3; ++i) {
            for (Optimizer* optimizer : {&both, &one, &other}) {
                optimizer->forget_gradients();
            }
            (slow.square() + fast.square() + apart_slow.square() + apart_fast.square())
                .sum()
                .backward();
            for (Optimizer* optimizer : {&both, &one, &other}) {
                optimizer->step();
            }
        }
        CHECK(torch::equal(slow, apart_slow));
        CHECK(torch::equal(fast, apart_fast));
        CHECK_FALSE(torch::equal(fast, slow));
        CHECK(both.learning_rates() == std::vector<double>{0.1, 0.3});
        both.set_learning_rates([](double base) { return base / 2; });
        CHECK(both.learning_rates() == std::vector<double>{0.05, 0.15});
        Optimizer copy({{"", options, {{"a.p", make(start)}}}, {"b", faster, {{"b.p", fast}}}});
        copy.restore(both.save());
        CHECK(copy.learning_rates() == std::vector<double>{0.05, 0.15});
    }
}

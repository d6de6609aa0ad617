#include "engine/optimizer/optimizer.hpp"

#include "base/error.hpp"
#include "base/toml_writer.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <torch/types.h>

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace optimizer_test {

using namespace ptp::optimizer;
using ptp::engine::make_optimizer;
using ptp::engine::Optimizer;

namespace {

// With the defaults of each optimizer of the list that needs no closure.
template <class... Types>
void for_each(const std::variant<Types...>&, const auto& use) {
    const auto use_one = [&]<class Options>(const Options& options) {
        if constexpr (!ptp::optimizer::kNeedsClosure<Options>) {
            use(options);
        }
    };
    (use_one(Types()), ...);
}
void for_each_type(const auto& use) {
    for_each(Any(), use);
}

// What one step makes of the parameters 1 and 1 when their gradients are 3 and -0.5.
std::pair<double, double> one_step(const Any& options) {
    at::Tensor parameter = torch::ones({2}, at::TensorOptions(at::kDouble).requires_grad(true));
    const auto optimizer = make_optimizer({{"", options, {{"net.p", parameter}}}});
    (parameter * torch::tensor({3.0, -0.5}, at::kDouble)).sum().backward();
    optimizer->step();
    optimizer->forget_gradients();
    CHECK_FALSE(parameter.grad().defined());
    return {parameter[0].item<double>(), parameter[1].item<double>()};
}

}  // namespace

TEST_CASE("optimizer: the first steps agree with the formulas") {
    struct Case {
        Any options;
        double first;
        double second;
    };
    const auto rms = [](double g) { return 0.1 * g / (std::sqrt(0.01 * g * g) + 1e-8); };
    const Case cases[] = {
        {Sgd{.lr = 0.1}, 1 - 0.3, 1 + 0.05},
        {Sgd{.lr = 0.1, .weight_decay = 2.0}, 1 - 0.1 * (3 + 2), 1 - 0.1 * (-0.5 + 2)},
        // The bias correction makes the first step of Adam one of the learning rate.
        {Adam{.lr = 0.1}, 0.9, 1.1},
        {AdamW{.lr = 0.1, .weight_decay = 0.5}, 0.95 - 0.1, 0.95 + 0.1},
        {RmsProp{.lr = 0.1}, 1 - rms(3), 1 - rms(-0.5)},
        {Adagrad{.lr = 0.1, .eps = 0}, 1 - 0.1, 1 + 0.1},
    };
    for (const Case& c : cases) {
        CAPTURE(name_of(c.options));
        const auto [first, second] = one_step(c.options);
        CHECK(first == doctest::Approx(c.first).epsilon(1e-6));
        CHECK(second == doctest::Approx(c.second).epsilon(1e-6));
    }
}

TEST_CASE("optimizer: groups have options of their own") {
    for_each_type([](const auto& defaults) {
        auto options = defaults;
        CAPTURE(options.kName);
        const auto make = [](const at::Tensor& from) { return from.clone().requires_grad_(); };
        const at::Tensor start = torch::tensor({1.0, -2.0}, at::kDouble);
        const at::Tensor slow = make(start);
        const at::Tensor fast = make(start);
        const at::Tensor apart_slow = make(start);
        const at::Tensor apart_fast = make(start);
        options.lr = 0.1;
        auto faster = options;
        faster.lr = 0.3;
        const auto both =
            make_optimizer({{"", options, {{"a.p", slow}}}, {"b", faster, {{"b.p", fast}}}});
        const auto one = make_optimizer({{"", options, {{"a.p", apart_slow}}}});
        const auto other = make_optimizer({{"b", faster, {{"b.p", apart_fast}}}});
        for (int i = 0; i < 3; ++i) {
            for (Optimizer* optimizer : {both.get(), one.get(), other.get()}) {
                optimizer->forget_gradients();
            }
            (slow.square() + fast.square() + apart_slow.square() + apart_fast.square())
                .sum()
                .backward();
            for (Optimizer* optimizer : {both.get(), one.get(), other.get()}) {
                optimizer->step();
            }
        }
        CHECK(torch::equal(slow, apart_slow));
        CHECK(torch::equal(fast, apart_fast));
        CHECK_FALSE(torch::equal(fast, slow));
        CHECK(both->learning_rates() == std::vector<double>{0.1, 0.3});
        both->set_learning_rates([](double base) { return base / 2; });
        CHECK(both->learning_rates() == std::vector<double>{0.05, 0.15});
        const auto copy =
            make_optimizer({{"", options, {{"a.p", make(start)}}}, {"b", faster, {{"b.p", fast}}}});
        copy->restore(both->save());
        CHECK(copy->learning_rates() == std::vector<double>{0.05, 0.15});
    });
}

TEST_CASE("optimizer: a rate that is set counts from the next step on") {
    for_each_type([](const auto& options) {
        if (options.kName == "Rprop") {
            return;  // its rate is the rate of the first step
        }
        CAPTURE(options.kName);
        const at::Tensor weight = torch::ones({1}, at::kDouble).requires_grad_();
        const auto optimizer = make_optimizer({{"", options, {{"net.w", weight}}}});
        const auto step = [&] {
            optimizer->forget_gradients();
            weight.square().sum().backward();
            optimizer->step();
            return weight.item<double>();
        };
        const double first = step();
        CHECK(first < 1);
        optimizer->set_learning_rates([](double) { return 0.0; });
        CHECK(step() == first);
    });
}

TEST_CASE("optimizer: a momentum that is set is taken by those that have one, and can be reset") {
    for_each_type([]<class Options>(const Options& options) {
        CAPTURE(options.kName);
        const auto optimizer = make_optimizer(
            {{"", options, {{"net.w", torch::ones({1}, at::kDouble).requires_grad_()}}}});
        const auto saved = [&] {
            return ptp::to_toml(optimizer->save().record.find("groups")->items()[0]);
        };
        const std::string before = saved();
        optimizer->set_momentum(0.375);
        CHECK((saved().find("0.375") != std::string::npos) ==
              ptp::optimizer::kHasMomentum<Options>);
        optimizer->reset_momentum();
        CHECK(saved() == before);
    });
}

TEST_CASE("optimizer: a sparse gradient is refused by those that cannot use it") {
    for_each_type([]<class Options>(const Options& options) {
        CAPTURE(options.kName);
        const at::Tensor weight = torch::ones({3, 2}).requires_grad_();
        const auto optimizer = make_optimizer({{"", options, {{"net.w", weight}}}});
        weight.mutable_grad() = torch::sparse_coo_tensor(torch::tensor({{1}}), torch::ones({1, 2}),
                                                         torch::IntArrayRef({3, 2}));
        if constexpr (ptp::optimizer::kTakesSparseGradients<Options>) {
            CHECK_NOTHROW(optimizer->step());
        } else {
            const std::string text =
                fmt::format("{} cannot use the sparse gradient of net.w", options.kName);
            CHECK_THROWS_WITH_AS(optimizer->step(), text.c_str(), ptp::RunError);
        }
    });
}

}  // namespace optimizer_test

// The parts of the testing kit that compute: tensors, gradients, a few steps of training.

#include <ptp/component.hpp>
#include <ptp/testing.hpp>

#include <torch/nn/module.h>
#include <torch/types.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace testing_gradients_test {

namespace {

namespace kit = ptp::testing;

// outputs = inputs * weight + noise, with what is wrong with it.
struct Wrongs {
    bool is_detached = false;  // the weight gets no gradient
    bool is_doubled = false;   // the gradient of the weight is twice what it must be
};

template <Wrongs kWrongs>
class Scaled {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Scaled";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "BI", "Numbers"),
                                      ptp::output("outputs", PTP_FLOAT, "BI", "Numbers")};

    Scaled() { weight_ = net_->register_parameter("weight", torch::tensor({1.0f, -2.0f, 0.5f})); }

    at::Tensor forward(const at::Tensor& inputs) {
        if (kWrongs.is_detached) {
            return inputs * weight_.detach();
        }
        // d/dw of w + (w - w.detach()) is 2, and its value is w.
        return inputs * (kWrongs.is_doubled ? weight_ + (weight_ - weight_.detach()) : weight_);
    }
    torch::nn::Module& module() { return *net_; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>("net");
    at::Tensor weight_;
};

using Right = Scaled<Wrongs{}>;
using Detached = Scaled<Wrongs{.is_detached = true}>;
using Doubled = Scaled<Wrongs{.is_doubled = true}>;

class Rounded {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Rounded";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("inputs", PTP_INTEGER, "B", "Numbers"),
                                      ptp::output("outputs", PTP_FLOAT, "B", "Numbers")};
    at::Tensor forward(const at::Tensor& inputs) { return inputs.to(at::kFloat); }
};

template <class T>
kit::Component make() {
    return {ptp::component<T>(), "", {}};
}

const kit::Slots kInputs = {{"inputs", torch::tensor({{1.0f, 2.0f, 3.0f}, {0.0f, -1.0f, 1.0f}})}};

at::Tensor sum_of_squares(const kit::Slots& outputs) {
    const at::Tensor& tensor = outputs.at("outputs").tensor();
    return (tensor * tensor).sum();
}

}  // namespace

TEST_CASE("testing kit: tensors follow their formulas, in the shape and the type that is asked") {
    CHECK(kit::range({2, 2}).equal(torch::tensor({{0.0f, 1.0f}, {2.0f, 3.0f}})));
    CHECK(kit::squares({5}, 3).equal(torch::tensor({1, 2, 2, 1, 2}, torch::kLong)));
    CHECK(kit::stairs({9}, 4).equal(torch::tensor({0, 1, 2, 3, 0, 1, 2, 0, 1}, torch::kLong)));
    CHECK(kit::masks({4}).equal(torch::tensor({true, false, true, true})));
    CHECK(kit::weights({5}).equal(torch::tensor({0.5f, 1.0f, 1.5f, 2.0f, 0.5f})));
    CHECK(kit::filled({2}, 3, torch::kLong).equal(torch::tensor({3, 3}, torch::kLong)));
    const at::Tensor sines = kit::sines({3}, {.phase = 0.1, .step = 0.5, .type = torch::kDouble});
    const at::Tensor waves = kit::waves({1, 3});
    for (int k = 0; k < 3; ++k) {
        CHECK(sines[k].item<double>() == 1.5 * std::sin(0.5 * k + 0.1));
        CHECK(waves[0][k].item<float>() == static_cast<float>(std::cos(0.7 * k)));
    }
}

TEST_CASE("testing kit: gradients that agree with finite differences have no difference") {
    auto component = make<Right>();
    CHECK(kit::gradient_difference(component, kInputs) == "");
    CHECK(c10::toString(component.parameters().at("weight").scalar_type()) ==
          std::string("Double"));
    CHECK(kit::gradient_difference(component, kInputs, {.objective = sum_of_squares}) == "");
}

TEST_CASE("testing kit: a wrong gradient is named with its parameter and element") {
    auto doubled = make<Doubled>();
    // 2 (1 w0)^2 by w0 = 1: 2 * 1 * 1, and twice that.
    CHECK(kit::gradient_difference(doubled, kInputs, {.objective = sum_of_squares}) ==
          "parameter 'weight'[0]: the gradient is 4, finite differences give 2");
    auto detached = make<Detached>();
    CHECK(kit::gradient_difference(detached, kInputs, {.objective = sum_of_squares}) ==
          "parameter 'weight'[0]: the gradient is 0, finite differences give 2");
}

TEST_CASE("testing kit: a check of gradients without anything to differentiate says so") {
    auto rounded = make<Rounded>();
    CHECK(kit::gradient_difference(rounded, {{"inputs", torch::tensor({1, 2}, torch::kLong)}}) ==
          "there is no parameter and no real input to differentiate by");
    auto component = make<Right>();
    const auto constant = [](const kit::Slots&) { return torch::zeros({}); };
    CHECK(kit::gradient_difference(component, kInputs, {.objective = constant}) ==
          "no output depends on a parameter or an input in a way that can be differentiated");
}

TEST_CASE("testing kit: ten steps of training are gradient descent on one batch") {
    auto component = make<Right>();
    const auto losses =
        kit::train(component, kInputs, {.loss = sum_of_squares, .learning_rate = 0.01});
    REQUIRE(losses.size() == 11);
    // With a = sum of the squares of a column (1, 5, 10) each weight is w (1 - 0.02 a)^n.
    const double columns[] = {1, 5, 10};
    const double weights[] = {1, -2, 0.5};
    for (int n = 0; n <= 10; ++n) {
        double loss = 0;
        for (int i = 0; i < 3; ++i) {
            loss += columns[i] * std::pow(weights[i] * std::pow(1 - 0.02 * columns[i], n), 2);
        }
        CHECK(losses[static_cast<std::size_t>(n)] == doctest::Approx(loss).epsilon(1e-5));
    }
}

TEST_CASE("testing kit: a training that changes nothing, or that explodes, says so") {
    auto detached = make<Detached>();
    CHECK_THROWS_WITH_AS(kit::train(detached, kInputs, {.loss = sum_of_squares}),
                         "the loss does not depend on any parameter", std::runtime_error);
    auto unused = make<Right>();
    const auto none = [](const kit::Slots& outputs) {
        return outputs.at("outputs").tensor().sum() * 0;
    };
    CHECK_THROWS_WITH_AS(kit::train(unused, kInputs, {.loss = none}),
                         "the parameter 'weight' has not changed in 10 steps", std::runtime_error);
    auto component = make<Right>();
    const auto nothing = [](const kit::Slots& outputs) {
        return outputs.at("outputs").tensor().sum() * std::numeric_limits<float>::quiet_NaN();
    };
    CHECK_THROWS_WITH_AS(kit::train(component, kInputs, {.loss = nothing}),
                         "the loss of step 0 is not a finite number", std::runtime_error);
}

TEST_CASE("testing kit: a component is made from the table that an experiment has") {
    const kit::Plugin plugin(PTP_PLAIN_SAMPLES);
    auto made = plugin.make_from("type = \"Add\"\namount = 2.5");
    const auto outputs = made.run(
        {{"values", kit::range({2})}, {"names", kit::Slot(std::vector<std::string>{"a", "b"})}});
    CHECK(outputs.at("sums").tensor().equal(torch::tensor({2.5f, 3.5f})));
    CHECK_THROWS_WITH_AS(plugin.make_from("amount = 2.5"),
                         "'type' is missing: which component it is", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(plugin.make_from("type = \"Add\"\nfreeze = true"),
                         "'freeze' is for the pipeline that the component is in, and has no effect "
                         "in a test",
                         ptp::ConfigError);
}

TEST_CASE("testing: the elements that are moved lie in all rows and columns of a matrix") {
    std::set<std::int64_t> rows;
    std::set<std::int64_t> columns;
    for (const std::int64_t i : kit::detail::spread(std::int64_t{64} * 64, 64)) {
        rows.insert(i / 64);
        columns.insert(i % 64);
    }
    CHECK(rows.size() > 32);
    CHECK(columns.size() == 64);
    CHECK(kit::detail::spread(1, 64) == std::vector<std::int64_t>{0});
    CHECK(kit::detail::spread(0, 64).empty());
    const auto some = kit::detail::spread(6, 9);  // 3 and 4 divide 6, or share a divisor with it
    CHECK(some == std::vector<std::int64_t>{0, 5, 4, 3, 2, 1});
}

}  // namespace testing_gradients_test

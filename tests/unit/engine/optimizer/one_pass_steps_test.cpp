// Steps in one pass change weights and state to the bits of libtorch's optimizers: for every length
// of a vector's rest, numbers of any size and kind, and memory in any order.

#include "engine/optimizer/one_pass_steps.hpp"
#include "engine/optimizer/optimizer.hpp"

#include <ATen/Parallel.h>
#include <doctest/doctest.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace one_pass_steps_test {

using namespace ptp::optimizer;
using namespace ptp::engine;

namespace {

using Step = std::function<void()>;

struct Case {
    Any options;
    std::function<Step(std::vector<at::Tensor>)> make;  // steps the parameters by libtorch
};

Step steps_of(std::shared_ptr<torch::optim::Optimizer> optimizer) {
    return [optimizer = std::move(optimizer)] { optimizer->step(); };
}

Case sgd(const Sgd& o) {
    return {o, [o](std::vector<at::Tensor> parameters) {
                return steps_of(std::make_unique<torch::optim::SGD>(
                    std::move(parameters), torch::optim::SGDOptions(o.lr)
                                               .momentum(o.momentum)
                                               .dampening(o.dampening)
                                               .weight_decay(o.weight_decay)
                                               .nesterov(o.nesterov)));
            }};
}

template <class Made, class MadeOptions, class Options>
Case adam(const Options& o) {
    return {o, [o](std::vector<at::Tensor> parameters) {
                return steps_of(std::make_unique<Made>(
                    std::move(parameters), MadeOptions(o.lr)
                                               .betas(std::make_tuple(o.betas[0], o.betas[1]))
                                               .eps(o.eps)
                                               .weight_decay(o.weight_decay)
                                               .amsgrad(o.amsgrad)));
            }};
}

std::vector<Case> cases() {
    const auto of_adam = [](const Adam& o) {
        return adam<torch::optim::Adam, torch::optim::AdamOptions>(o);
    };
    const auto of_adamw = [](const AdamW& o) {
        return adam<torch::optim::AdamW, torch::optim::AdamWOptions>(o);
    };
    return {
        sgd({.lr = 0.1}),
        sgd({.lr = 0.1, .weight_decay = 0.03}),
        sgd({.lr = 1.0 / 3, .momentum = 0.9}),
        sgd({.lr = 0.1, .weight_decay = 0.01, .momentum = 0.9, .dampening = 0.1}),
        sgd({.lr = 0.1, .momentum = 0.7, .nesterov = true}),
        sgd({.lr = 0.1, .weight_decay = 0.3, .momentum = 0.7, .nesterov = true}),
        of_adam({}),
        of_adam({.lr = 1.0 / 3, .weight_decay = 0.1, .betas = {0.8, 0.95}}),
        of_adam({.lr = 0.1, .weight_decay = 0.1, .eps = 0.1, .amsgrad = true}),
        of_adam({.lr = 0.1, .eps = 0, .amsgrad = true}),
        of_adamw({}),
        of_adamw({.lr = 0.3, .weight_decay = 0}),
        of_adamw({.lr = 1.0 / 3, .betas = {0.7, 0.9}, .amsgrad = true}),
    };
}

// Not the sign of nan, which depends on the order in which a processor is given two operands.
bool have_same_bits(const at::Tensor& one, const at::Tensor& other) {
    const at::ScalarType bits = one.element_size() == 8   ? at::kLong
                                : one.element_size() == 4 ? at::kInt
                                                          : at::kShort;
    const auto numbers = [&](const at::Tensor& tensor) {
        return tensor.detach().masked_fill(tensor.isnan(), 0).contiguous().view(bits);
    };
    return one.isnan().equal(other.isnan()) && numbers(one).equal(numbers(other));
}

using Fill = std::function<at::Tensor(const at::Tensor& like)>;

at::Tensor normal(const at::Tensor& like) {
    return at::randn_like(like);
}

// Trains two copies of the parameters, with gradients that `fill` makes.
void compare(const Case& with, const std::vector<at::Tensor>& from, const Fill& fill = normal) {
    CAPTURE(name_of(with.options));
    CAPTURE(with.options.index());
    std::vector<ptp::engine::NamedParameter> ours;
    std::vector<at::Tensor> theirs;
    for (const at::Tensor& start : from) {
        const auto copy = [&] {
            return start.detach().clone(at::MemoryFormat::Preserve).requires_grad_();
        };
        ours.push_back({"net." + std::to_string(ours.size()), copy()});
        theirs.push_back(copy());
    }
    const auto own = make_optimizer({{"", with.options, ours}});
    const auto other = with.make(theirs);
    for (int step = 0; step < 4; ++step) {
        CAPTURE(step);
        for (std::size_t i = 0; i < from.size(); ++i) {
            const at::Tensor gradient = fill(from[i]);
            ours[i].tensor.mutable_grad() = gradient;
            theirs[i].mutable_grad() = gradient.clone(at::MemoryFormat::Preserve);
        }
        own->step();
        other();
        for (std::size_t i = 0; i < from.size(); ++i) {
            CAPTURE(i);
            CHECK(have_same_bits(ours[i].tensor, theirs[i]));
        }
    }
}

}  // namespace

TEST_CASE("one pass: the bits are libtorch's for any number of numbers, none too") {
    at::manual_seed(1);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        CAPTURE(type);
        std::vector<at::Tensor> parameters;
        for (int size = 0; size < 70; size += size < 36 ? 1 : 11) {
            parameters.push_back(at::randn({size}, type));
        }
        parameters.push_back(at::randn({}, type));
        for (const Case& each : cases()) {
            compare(each, parameters);
        }
    }
}

TEST_CASE("one pass: the bits are libtorch's where threads share the numbers") {
    const int before = at::get_num_threads();
    at::set_num_threads(3);
    at::manual_seed(2);
    const std::vector<at::Tensor> parameters = {at::randn({20'011}), at::randn({7}),
                                                at::randn({61'003}), at::randn({300, 97})};
    for (const Case& each : cases()) {
        compare(each, parameters);
    }
    at::set_num_threads(before);
}

TEST_CASE("one pass: the bits are libtorch's in whatever order memory is, and of other types") {
    at::manual_seed(3);
    const at::Tensor image = at::randn({4, 3, 5, 5});
    const std::vector<at::Tensor> parameters = {
        at::randn({6, 4}).t(), image.contiguous(at::MemoryFormat::ChannelsLast),
        at::randn({5, 1, 3}).transpose(0, 1), at::randn({33}, at::kDouble),
        at::randn({33}).to(at::kBFloat16)};
    const Fill in_another_order = [](const at::Tensor& like) {
        const at::Tensor gradient = at::randn_like(like);
        return gradient.dim() < 2 ? gradient
                                  : gradient.transpose(0, 1).contiguous().transpose(0, 1);
    };
    for (const Case& each : cases()) {
        compare(each, parameters);
        compare(each, parameters, in_another_order);
    }
}

TEST_CASE(
    "one pass: the bits are libtorch's for denormal, huge and infinite numbers, and for nan") {
    at::manual_seed(4);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const double smallest = type == at::kFloat ? 1e-40 : 1e-310;
        const double largest = type == at::kFloat ? 1e30 : 1e300;
        for (const double scale : {smallest, largest}) {
            CAPTURE(scale);
            const auto scaled = [scale](const at::Tensor& like) {
                return at::randn_like(like) * scale;
            };
            const std::vector<at::Tensor> parameters = {at::randn({45}, type),
                                                        at::randn({45}, type) * scale};
            for (const Case& each : cases()) {
                compare(each, parameters, scaled);
            }
        }
        const auto special = [](const at::Tensor& like) {
            at::Tensor gradient = at::randn_like(like);
            gradient[3] = std::numeric_limits<double>::infinity();
            gradient[20] = -std::numeric_limits<double>::infinity();
            gradient[44] = std::numeric_limits<double>::quiet_NaN();
            gradient[5] = -0.0;
            return gradient;
        };
        for (const Case& each : cases()) {
            compare(each, {at::randn({45}, type)}, special);
        }
    }
}

TEST_CASE("one pass: numbers that an operation might not see are refused, and left to libtorch") {
    const at::Tensor weight = at::ones({3});
    CHECK(ptp::engine::can_pass_once(weight, weight));
    CHECK_FALSE(ptp::engine::can_pass_once(weight, weight.to(at::kDouble)));
    CHECK_FALSE(ptp::engine::can_pass_once(weight, weight.to_sparse()));
    CHECK_FALSE(ptp::engine::can_pass_once(at::ones({4}).slice(0, 0, 4, 2), at::ones({2})));
    CHECK_FALSE(ptp::engine::can_pass_once(weight.to(at::kHalf), weight.to(at::kHalf)));
    CHECK_FALSE(ptp::engine::can_pass_once(weight, at::_efficientzerotensor({3})));
}

TEST_CASE("one pass: on x86-64 one of the two roundings is libtorch's, and only that is used") {
#if defined(__x86_64__)
    const auto check = [](const auto& options) {
        CHECK(steps_like_libtorch(options));
        for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
            int right = 0;
            for (const Rounding rounding : {Rounding::kTwice, Rounding::kOnce}) {
                const OnePassSteps steps(rounding, OnePassSteps::Roots::kByLibtorch);
                right += ptp::engine::is_supported(rounding) &&
                                 have_bits_of_libtorch(steps, options, type)
                             ? 1
                             : 0;
            }
            CHECK(right == 1);
        }
    };
    check(Adam{.lr = 0.1});
    check(Adam{.lr = 0.1, .weight_decay = 0.1, .amsgrad = true});
    check(AdamW{.lr = 0.1, .weight_decay = 0.1});
    check(AdamW{.lr = 0.1, .amsgrad = true});
    check(Sgd{.lr = 0.1, .momentum = 0.9, .nesterov = true});
#endif
}

TEST_CASE("one pass: libtorch knows that weights have changed") {
    const at::Tensor weight = at::ones({3}).requires_grad_();
    const auto optimizer = make_optimizer({{"", Sgd{.lr = 0.1}, {{"net.w", weight}}}});
    const at::Tensor loss = weight.square().sum();
    weight.mutable_grad() = at::ones({3});
    optimizer->step();
    CHECK_THROWS_WITH(loss.backward(), doctest::Contains("modified by an inplace operation"));
}

}  // namespace one_pass_steps_test

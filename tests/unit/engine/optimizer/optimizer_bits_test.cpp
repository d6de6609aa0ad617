// The optimizers that libtorch has in C++ too change the weights to the same bits.

#include "engine/optimizer/optimizer.hpp"

#include <doctest/doctest.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

namespace optimizer_bits_test {

using namespace ptp::optimizer;
using ptp::engine::make_optimizer;

namespace {

struct Case {
    std::string name;
    Any options;
    Any of_group;
    std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<at::Tensor>,
                                                           std::vector<at::Tensor>)>
        make;
};

template <class Made, class Options>
auto maker(const Options& first, const Options& second) {
    return [=](std::vector<at::Tensor> a, std::vector<at::Tensor> b) {
        std::vector<torch::optim::OptimizerParamGroup> groups;
        groups.emplace_back(std::move(a), std::make_unique<Options>(first));
        groups.emplace_back(std::move(b), std::make_unique<Options>(second));
        auto made = std::make_unique<Made>(std::move(groups), first);
        // A newer libtorch gives a group what `first` has where `second` has the default.
        made->param_groups()[1].set_options(std::make_unique<Options>(second));
        return made;
    };
}

torch::optim::SGDOptions torch_options(const Sgd& o) {
    return torch::optim::SGDOptions(o.lr)
        .momentum(o.momentum)
        .dampening(o.dampening)
        .weight_decay(o.weight_decay)
        .nesterov(o.nesterov);
}
template <class Options>
Options adam_options(const auto& o) {
    return Options(o.lr)
        .betas(std::make_tuple(o.betas[0], o.betas[1]))
        .eps(o.eps)
        .weight_decay(o.weight_decay)
        .amsgrad(o.amsgrad);
}
torch::optim::AdamOptions torch_options(const Adam& o) {
    return adam_options<torch::optim::AdamOptions>(o);
}
torch::optim::AdamWOptions torch_options(const AdamW& o) {
    return adam_options<torch::optim::AdamWOptions>(o);
}
torch::optim::RMSpropOptions torch_options(const RmsProp& o) {
    return torch::optim::RMSpropOptions(o.lr)
        .alpha(o.alpha)
        .eps(o.eps)
        .weight_decay(o.weight_decay)
        .momentum(o.momentum)
        .centered(o.centered);
}
torch::optim::AdagradOptions torch_options(const Adagrad& o) {
    return torch::optim::AdagradOptions(o.lr)
        .lr_decay(o.lr_decay)
        .weight_decay(o.weight_decay)
        .initial_accumulator_value(o.initial_accumulator_value)
        .eps(o.eps);
}

template <class Made, class Options>
Case of(const Options& first, const Options& second) {
    return {std::string(Options::kName), first, second,
            maker<Made>(torch_options(first), torch_options(second))};
}

std::vector<Case> cases() {
    using namespace torch::optim;
    using ptp::optimizer::Adagrad;
    using ptp::optimizer::Adam;
    using ptp::optimizer::AdamW;
    return {
        of<SGD>(Sgd{.lr = 0.1}, Sgd{.lr = 0.03, .weight_decay = 0.2}),
        of<SGD>(Sgd{.lr = 0.1, .weight_decay = 0.01, .momentum = 0.9, .dampening = 0.1},
                Sgd{.lr = 0.1, .momentum = 0.5}),
        of<SGD>(Sgd{.lr = 1.0 / 3, .momentum = 0.9, .nesterov = true},
                Sgd{.lr = 0.1, .weight_decay = 0.3, .momentum = 0.7, .nesterov = true}),
        of<torch::optim::Adam>(Adam{}, Adam{.lr = 0.1}),
        of<torch::optim::Adam>(
            Adam{.lr = 1.0 / 3, .weight_decay = 0.1, .betas = {0.8, 0.95}, .amsgrad = true},
            Adam{.lr = 0.1, .betas = {0.7, 0.9}, .eps = 0.1, .amsgrad = true}),
        of<torch::optim::AdamW>(AdamW{.lr = 0.1}, AdamW{.lr = 0.3, .weight_decay = 0}),
        of<torch::optim::AdamW>(
            AdamW{.lr = 1.0 / 3, .weight_decay = 0.1, .betas = {0.8, 0.95}, .amsgrad = true},
            AdamW{.lr = 0.1, .eps = 0.1, .amsgrad = true}),
        of<RMSprop>(RmsProp{}, RmsProp{.lr = 0.1, .weight_decay = 0.1}),
        of<RMSprop>(
            RmsProp{.lr = 0.1, .momentum = 0.9, .eps = 0.01, .alpha = 0.7, .centered = true},
            RmsProp{.lr = 0.1, .weight_decay = 0.1, .centered = true}),
        of<RMSprop>(RmsProp{.lr = 0.1, .momentum = 0.9}, RmsProp{.lr = 0.1, .momentum = 0.1}),
        of<torch::optim::Adagrad>(Adagrad{}, Adagrad{.lr = 0.1, .weight_decay = 0.2}),
        of<torch::optim::Adagrad>(
            Adagrad{.lr = 0.3, .eps = 0.1, .lr_decay = 0.1, .initial_accumulator_value = 0.5},
            Adagrad{.lr = 0.1, .lr_decay = 0.3, .initial_accumulator_value = 0.5}),
    };
}

at::Tensor leaf(const at::Tensor& from) {
    return from.detach().clone().requires_grad_();
}

}  // namespace

TEST_CASE("optimizer: the bits equal libtorch's, in each step and group") {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        for (const Case& c : cases()) {
            CAPTURE(c.name);
            at::manual_seed(5);
            const at::Tensor a = leaf(torch::randn({7, 5}, type));
            const at::Tensor b = leaf(torch::randn({33}, type));
            const at::Tensor unused = leaf(torch::randn({2}, type));
            const at::Tensor a2 = leaf(a);
            const at::Tensor b2 = leaf(b);
            const at::Tensor unused2 = leaf(unused);
            const auto own = make_optimizer(
                {{"", c.options, {{"x.a", a}, {"x.u", unused}}}, {"y", c.of_group, {{"y.b", b}}}});
            const auto theirs = c.make({a2, unused2}, {b2});
            for (int step = 0; step < 5; ++step) {
                CAPTURE(step);
                for (const auto& [mine, other] : {std::pair(a, a2), std::pair(b, b2)}) {
                    mine.mutable_grad() = torch::randn_like(mine.detach());
                    other.mutable_grad() = mine.grad().clone();
                }
                own->step();
                theirs->step();
                CHECK(torch::equal(a, a2));
                CHECK(torch::equal(b, b2));
            }
            CHECK(torch::equal(unused, unused2));
        }
    }
}

TEST_CASE("optimizer: the bits equal libtorch's with sparse gradients too") {
    for (const Case& c :
         {of<torch::optim::SGD>(Sgd{.lr = 0.1}, Sgd{.lr = 0.2, .momentum = 0.5}),
          of<torch::optim::Adagrad>(Adagrad{.lr = 0.1, .lr_decay = 0.1}, Adagrad{.lr = 0.3})}) {
        CAPTURE(c.name);
        at::manual_seed(6);
        const at::Tensor a = leaf(torch::randn({6, 3}));
        const at::Tensor b = leaf(torch::randn({6, 3}));
        const at::Tensor a2 = leaf(a);
        const at::Tensor b2 = leaf(b);
        const auto own =
            make_optimizer({{"", c.options, {{"x.a", a}}}, {"y", c.of_group, {{"y.b", b}}}});
        const auto theirs = c.make({a2}, {b2});
        for (int step = 0; step < 4; ++step) {
            const at::Tensor rows = torch::tensor({{4, 1, 4}});
            for (const at::Tensor& parameter : {a, b}) {
                parameter.mutable_grad() = torch::sparse_coo_tensor(rows, torch::randn({3, 3}),
                                                                    torch::IntArrayRef({6, 3}));
            }
            a2.mutable_grad() = a.grad().clone();
            b2.mutable_grad() = b.grad().clone();
            own->step();
            theirs->step();
            CHECK(torch::equal(a, a2));
            CHECK(torch::equal(b, b2));
        }
    }
}

TEST_CASE("optimizer: LBFGS takes the steps of libtorch's, which keeps its state by itself") {
    for (const char* search : {"none", "strong_wolfe"}) {
        CAPTURE(search);
        at::manual_seed(7);
        const at::Tensor a = leaf(torch::randn({4}));
        const at::Tensor b = leaf(torch::randn({3}));
        const at::Tensor a2 = leaf(a);
        const at::Tensor b2 = leaf(b);
        const auto own = make_optimizer(
            {{"",
              Lbfgs{.lr = 0.5, .max_iter = 3, .history_size = 2, .line_search_fn = search},
              {{"x.a", a}, {"x.b", b}}}});
        auto options = torch::optim::LBFGSOptions(0.5).max_iter(3).history_size(2);
        if (std::string(search) != "none") {
            options.line_search_fn(std::string(search));
        }
        torch::optim::LBFGS theirs({a2, b2}, options);
        const auto closure = [](const at::Tensor& x, const at::Tensor& y) {
            return [&x, &y] {
                x.mutable_grad().reset();
                y.mutable_grad().reset();
                at::Tensor loss = (x - 1).pow(4).sum() + (x[0] * y).square().sum() + y.exp().sum();
                loss.backward();
                return loss;
            };
        };
        for (int step = 0; step < 5; ++step) {
            CAPTURE(step);
            own->step(closure(a, b));
            theirs.step(closure(a2, b2));
            CHECK(torch::equal(a, a2));
            CHECK(torch::equal(b, b2));
        }
    }
}

}  // namespace optimizer_bits_test

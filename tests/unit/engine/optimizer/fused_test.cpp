// Steps with `fused` equal those without, from the same weights and gradients.

#include "engine/component/compat.hpp"
#include "engine/optimizer/optimizer.hpp"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <memory>
#include <vector>

namespace fused_test {

using namespace ptp::engine;
using namespace ptp::optimizer;

namespace {

bool are_there() {
    constexpr bool kExist = ptp::engine::compat::FusedSteps::kExist;
    if (!kExist) {
        MESSAGE("skipped: this libtorch has no fused steps; from 2.4 on it does");
    }
    return kExist;
}

const Any kOptions[] = {
    Sgd{.lr = 0.1, .weight_decay = 0.1},
    Sgd{.lr = 0.1, .weight_decay = 0.01, .momentum = 0.9, .dampening = 0.1},
    Sgd{.lr = 0.1, .momentum = 0.9, .nesterov = true},
    Adam{.lr = 0.1},
    Adam{.lr = 1.0 / 3, .weight_decay = 0.1, .betas = {0.8, 0.95}, .amsgrad = true},
    AdamW{.lr = 0.1, .weight_decay = 0.1},
    AdamW{.lr = 0.1, .weight_decay = 0.1, .betas = {0.8, 0.95}, .amsgrad = true},
};

Any with_fused(Any options, bool fused) {
    set_fused(options, fused);
    return options;
}

// Parameters of two groups, one of them without a gradient in the first step, one whose memory is
// not in the order of its dimensions, and one of doubles.
struct Net {
    explicit Net(const Any& options) {
        at::manual_seed(4);
        for (const at::Tensor& start :
             {torch::randn({5, 7}), torch::randn({33}), torch::randn({6, 4}).t(),
              torch::randn({3}, at::kDouble), torch::randn({2, 3, 4})}) {
            parameters.push_back(start.detach().clone(at::MemoryFormat::Preserve).requires_grad_());
        }
        Any second = options;
        lr_of(second) /= 2;
        optimizer = make_optimizer(
            {{"", options, {{"a.0", parameters[0]}, {"a.1", parameters[1]}}},
             {"b",
              second,
              {{"b.2", parameters[2]}, {"b.3", parameters[3]}, {"b.4", parameters[4]}}}});
    }

    // Gradients are laid out as libtorch made them: in one step in the other order.
    void train(int first, int last) {
        for (int step = first; step < last; ++step) {
            at::manual_seed(50 + static_cast<std::uint64_t>(step));
            for (std::size_t i = 0; i < parameters.size(); ++i) {
                at::Tensor gradient = torch::randn_like(parameters[i].detach());
                if (step == 0 && i == 0) {
                    gradient = gradient.t().contiguous().t();
                }
                if (step > 0 || i != 1) {
                    parameters[i].mutable_grad() = gradient;
                }
            }
            optimizer->step();
        }
    }

    std::vector<at::Tensor> parameters;
    std::unique_ptr<Optimizer> optimizer;
};

void check_close(const Net& one, const Net& other) {
    for (std::size_t i = 0; i < one.parameters.size(); ++i) {
        CAPTURE(i);
        CHECK(torch::allclose(one.parameters[i], other.parameters[i], 1e-5, 1e-6));
    }
}

void check_equal(const Net& one, const Net& other) {
    for (std::size_t i = 0; i < one.parameters.size(); ++i) {
        CAPTURE(i);
        CHECK(torch::equal(one.parameters[i], other.parameters[i]));
    }
}

// Trains three steps, and the rest with another optimizer that is given the first one's state.
Net in_two_parts(const Any& first, const Any& then) {
    Net net(first);
    net.train(0, 3);
    const SavedState saved = net.optimizer->save();
    Net rest(then);
    for (std::size_t i = 0; i < net.parameters.size(); ++i) {
        rest.parameters[i].set_data(net.parameters[i].detach());
    }
    rest.optimizer->restore(saved);
    rest.train(3, 7);
    return rest;
}

}  // namespace

TEST_CASE("fused: the weights are those of single steps, but for the rounding") {
    if (!are_there()) {
        return;
    }
    for (const Any& options : kOptions) {
        CAPTURE(options.index());
        Net single(options);
        Net fused(with_fused(options, true));
        single.train(0, 7);
        fused.train(0, 7);
        check_close(single, fused);
    }
}

TEST_CASE("fused: a saved one continues with the same bits") {
    if (!are_there()) {
        return;
    }
    for (const Any& plain : kOptions) {
        CAPTURE(plain.index());
        const Any options = with_fused(plain, true);
        Net whole(options);
        whole.train(0, 7);
        check_equal(whole, in_two_parts(options, options));
    }
}

TEST_CASE("fused: what was saved with it is restored without it, and the other way round") {
    if (!are_there()) {
        return;
    }
    for (const Any& options : kOptions) {
        CAPTURE(options.index());
        Net whole(options);
        whole.train(0, 7);
        for (const bool fused : {false, true}) {
            CAPTURE(fused);
            check_close(whole,
                        in_two_parts(with_fused(options, fused), with_fused(options, !fused)));
        }
    }
}

TEST_CASE("fused: it can change during a training, for each group by its name") {
    if (!are_there()) {
        return;
    }
    for (const Any& options : kOptions) {
        CAPTURE(options.index());
        Net net(options);
        net.train(0, 3);
        net.optimizer->set_fused("", true);
        net.optimizer->set_fused("b", true);
        net.train(3, 7);
        check_equal(net, in_two_parts(options, with_fused(options, true)));
    }
}

TEST_CASE("fused: one group can have it alone") {
    if (!are_there()) {
        return;
    }
    const at::Tensor one = torch::ones({3}).requires_grad_();
    const at::Tensor other = torch::ones({3}).requires_grad_();
    const auto optimizer = make_optimizer({{"", Adam{.lr = 0.1, .fused = true}, {{"a.w", one}}},
                                           {"b", Adam{.lr = 0.1}, {{"b.w", other}}}});
    for (const double gradient : {1.0, -0.5, 0.25}) {
        one.mutable_grad() = torch::full({3}, gradient);
        other.mutable_grad() = torch::full({3}, gradient);
        optimizer->step();
    }
    CHECK(torch::allclose(one, other, 1e-5, 1e-6));
}

TEST_CASE("fused: a sparse gradient is used as without it") {
    const auto after = [](bool fused) {
        const at::Tensor weight = torch::ones({3, 2}).requires_grad_();
        const auto optimizer =
            make_optimizer({{"", Sgd{.lr = 0.1, .fused = fused}, {{"net.w", weight}}}});
        weight.mutable_grad() = torch::sparse_coo_tensor(torch::tensor({{1}}), torch::ones({1, 2}),
                                                         torch::IntArrayRef({3, 2}));
        optimizer->step();
        return weight.detach().clone();
    };
    CHECK(torch::equal(after(true), after(false)));
}

TEST_CASE("fused: it is not part of what is saved, which is as it was without the option") {
    for (const bool fused : {false, true}) {
        const at::Tensor weight = torch::ones({2}).requires_grad_();
        const auto optimizer =
            make_optimizer({{"", Sgd{.lr = 0.1, .fused = fused}, {{"net.w", weight}}}});
        const SavedState saved = optimizer->save();
        const ptp::Value& group = saved.record.find("groups")->items()[0];
        CHECK(group.find("lr") != nullptr);
        CHECK(group.find("fused") == nullptr);
    }
}

}  // namespace fused_test

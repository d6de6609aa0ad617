// The common parts of several optimizers: options, and the first lines of a step.

#pragma once

#include "schema/fields.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

template <class Field = schema::Field>
Field lr_field(double& lr) {
    return {.name = "lr", .into = &lr, .help = "learning rate", .range = "[0, inf)"};
}

template <class Field = schema::Field>
Field weight_decay_field(double& weight_decay) {
    return {.name = "weight_decay",
            .into = &weight_decay,
            .help = "adds this part of the weights to the gradient",
            .range = "[0, inf)"};
}

template <class Field = schema::Field>
Field betas_field(std::array<double, 2>& betas) {
    return {.name = "betas",
            .into = &betas,
            .help = "decay rates of the moment estimates: of the gradient, and of its square",
            .range = "[0, 1)"};
}

template <class Field = schema::Field>
Field eps_field(double& eps) {
    return {.name = "eps",
            .into = &eps,
            .help = "added to the denominator, for stability",
            .range = "[0, inf)"};
}

// Returns the options of Adam and its variants.
template <class Field = schema::Field>
std::vector<Field> adam_fields(auto& options) {
    return {lr_field(options.lr), weight_decay_field(options.weight_decay),
            betas_field(options.betas), eps_field(options.eps)};
}

// Returns the gradient with the contribution of `weight_decay`.
template <class Tensor>
Tensor with_decay(const Tensor& g, const Tensor& w, double weight_decay) {
    return weight_decay != 0 ? g.add(w, weight_decay) : g;
}

// The running means of gradient and square: the state of Adam, and a part of its variants' state.
template <class Tensor>
struct Means {
    std::int64_t step = 0;
    Tensor exp_avg;
    Tensor exp_avg_sq;

    void visit(auto& visitor) {
        visitor("step", step);
        visitor("exp_avg", exp_avg);
        visitor("exp_avg_sq", exp_avg_sq);
    }

    // Counts a step. Both means are 0 before the first one.
    void update(const Tensor& w, const Tensor& g, const std::array<double, 2>& betas) {
        if (step == 0) {
            exp_avg = zeros_like(w);
            exp_avg_sq = zeros_like(w);
        }
        ++step;
        exp_avg.mul_(betas[0]).add_(g, 1 - betas[0]);
        exp_avg_sq.mul_(betas[1]).addcmul_(g, g, 1 - betas[1]);
    }
};

// The option `fused`: one call of libtorch steps many parameters, instead of several calls for
// each. `kernels` are provided by the engine for its libtorch.
inline constexpr std::string_view kFusedKey = "fused";

template <class Field = schema::Field>
Field fused_field(std::optional<bool>& fused) {
    return {
        .name = kFusedKey,
        .into = &fused,
        .help =
            "one call of libtorch, from 2.4 on, steps all parameters; where it is not set, on a "
            "CUDA device alone"};
}

// True if the optimizer has the option `fused`.
template <class Optimizer>
inline constexpr bool kHasFused = requires(Optimizer& one) {
    one.fused;
};

// The tensors that one call changes, in lists of the same order. Unused lists of the state are
// empty.
template <class Tensor>
struct FusedLists {
    std::vector<Tensor> weights;
    std::vector<Tensor> gradients;
    std::vector<Tensor> momentum_buffers;
    std::vector<Tensor> exp_avgs;
    std::vector<Tensor> exp_avg_sqs;
    std::vector<Tensor> max_exp_avg_sqs;
    std::vector<std::int64_t> steps;  // including this one
};

// Adds a state after making its memory contiguous, because libtorch ignores its strides.
template <class Tensor>
void add_plain(std::vector<Tensor>& list, Tensor& state) {
    state = state.contiguous();
    list.push_back(state);
}

// The shape of a tensor that an optimizer keeps.
enum class Shape {
    kParameter,      // that of its parameter
    kAllParameters,  // all parameters, flattened and concatenated
    kScalar,
};

}  // namespace ptp::optimizer

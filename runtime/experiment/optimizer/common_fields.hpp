// The common parts of several optimizers: options, and the first lines of a step.

#pragma once

#include "schema/fields.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace ptp::optimizer {

inline schema::Field lr_field(double& lr) {
    return {.name = "lr", .into = &lr, .help = "learning rate", .range = "[0, inf)"};
}

inline schema::Field weight_decay_field(double& weight_decay) {
    return {.name = "weight_decay",
            .into = &weight_decay,
            .help = "adds this part of the weights to the gradient",
            .range = "[0, inf)"};
}

inline schema::Field betas_field(std::array<double, 2>& betas) {
    return {.name = "betas",
            .into = &betas,
            .help = "decay rates of the moment estimates: of the gradient, and of its square",
            .range = "[0, 1)"};
}

inline schema::Field eps_field(double& eps) {
    return {.name = "eps",
            .into = &eps,
            .help = "added to the denominator, for stability",
            .range = "[0, inf)"};
}

// Returns the options of Adam and its variants.
std::vector<schema::Field> adam_fields(auto& options) {
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

}  // namespace ptp::optimizer

// Options that several optimizers have.

#pragma once

#include "schema/fields.hpp"

#include <array>

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
            .help = "decay of the running means of gradient and square",
            .range = "[0, 1)"};
}

inline schema::Field eps_field(double& eps) {
    return {.name = "eps", .into = &eps, .help = "added to the divisor", .range = "[0, inf)"};
}

}  // namespace ptp::optimizer

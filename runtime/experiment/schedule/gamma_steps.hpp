// Common parts of schedules that repeatedly multiply the rate by gamma.

#pragma once

#include "schema/fields.hpp"

#include <cmath>

namespace ptp::schedule {

inline schema::Field gamma_field(double& gamma) {
    return {.name = "gamma",
            .into = &gamma,
            .help = "factor of the learning rate",
            .range = "(0, inf)"};
}

// Returns the rate after `steps` multiplications.
inline double after_steps(double base, double gamma, auto steps) {
    return base * std::pow(gamma, static_cast<double>(steps));
}

}  // namespace ptp::schedule

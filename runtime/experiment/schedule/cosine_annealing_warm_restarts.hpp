// CosineAnnealingWarmRestarts: half a cosine from the optimizer's rate to eta_min, repeatedly.
//
// Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017).

#pragma once

#include "experiment/schedule/parts.hpp"
#include "schema/fields.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct CosineAnnealingWarmRestarts {
    static constexpr std::string_view kName = "CosineAnnealingWarmRestarts";
    static constexpr std::string_view kHelp = "half a cosine down to eta_min, again and again";
    static constexpr std::string_view kExample =
        R"({ type = "CosineAnnealingWarmRestarts", T_0 = 10 })";
    static constexpr std::array<std::string_view, 0> kOtherNames = {};

    std::int64_t first_period = 1;
    std::int64_t period_factor = 1;
    double eta_min = 0;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "T_0",
                 .into = &first_period,
                 .help = "epochs of the first period",
                 .range = "[1, inf)",
                 .is_required = true},
                {.name = "T_mult",
                 .into = &period_factor,
                 .help = "how many times longer each period is than the last",
                 .range = "[1, inf)"},
                {.name = "eta_min",
                 .into = &eta_min,
                 .help = "the rate at the end of a period",
                 .range = "[0, inf)"}};
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        double period = static_cast<double>(first_period);
        double epochs = at.epochs_done;
        if (period_factor == 1) {
            epochs = std::fmod(epochs, period);
        }
        while (epochs >= period) {
            epochs -= period;
            period *= static_cast<double>(period_factor);
        }
        return cosine_between(base, eta_min, epochs / period);
    }
};

}  // namespace ptp::schedule

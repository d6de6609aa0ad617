// ExponentialLR: the rate times gamma after every epoch.

#pragma once

#include "schedule/position.hpp"
#include "schema/fields.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct ExponentialLr {
    static constexpr std::string_view kName = "ExponentialLR";
    static constexpr std::string_view kHelp = "the rate times gamma after every epoch";
    static constexpr std::string_view kExample = R"({ type = "ExponentialLR", gamma = 0.95 })";
    static constexpr std::array<std::string_view, 1> kOtherNames = {"exponential"};

    double gamma = 0.1;

    std::vector<schema::Field> fields() {
        return {{.name = "gamma",
                 .into = &gamma,
                 .help = "factor of the learning rate",
                 .range = "(0, inf)",
                 .is_required = true}};
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        return base * std::pow(gamma, static_cast<double>(at.epoch));
    }
};

}  // namespace ptp::schedule

// ExponentialLR: multiplies the rate by gamma after every epoch.

#pragma once

#include "experiment/schedule/gamma_steps.hpp"
#include "experiment/schedule/position.hpp"

#include <array>
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
        schema::Field field = gamma_field(gamma);
        field.is_required = true;
        return {field};
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        return after_steps(base, gamma, at.epoch);
    }
};

}  // namespace ptp::schedule

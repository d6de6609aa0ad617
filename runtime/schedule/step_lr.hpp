// StepLR: the rate times gamma after every step_size epochs.

#pragma once

#include "schedule/position.hpp"
#include "schema/fields.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct StepLr {
    static constexpr std::string_view kName = "StepLR";
    static constexpr std::string_view kHelp = "the rate times gamma after every step_size epochs";
    static constexpr std::string_view kExample =
        R"({ type = "StepLR", step_size = 10, gamma = 0.1 })";
    static constexpr std::array<std::string_view, 1> kOtherNames = {"step"};

    std::int64_t step_size = 1;
    double gamma = 0.1;

    std::vector<schema::Field> fields() {
        return {{.name = "gamma",
                 .into = &gamma,
                 .help = "factor of the learning rate",
                 .range = "(0, inf)"},
                {.name = "step_size",
                 .into = &step_size,
                 .help = "epochs between two changes",
                 .range = "[1, inf)",
                 .is_required = true}};
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        const auto epoch = static_cast<std::int64_t>(at.epoch);
        return base * std::pow(gamma, static_cast<double>(epoch / step_size));
    }
};

}  // namespace ptp::schedule

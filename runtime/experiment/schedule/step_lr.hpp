// StepLR: multiplies the rate by gamma after every step_size epochs.

#pragma once

#include "experiment/schedule/gamma_steps.hpp"
#include "experiment/schedule/position.hpp"

#include <array>
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
        return {gamma_field(gamma),
                {.name = "step_size",
                 .into = &step_size,
                 .help = "epochs between two changes",
                 .range = "[1, inf)",
                 .is_required = true}};
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        const std::int64_t steps = static_cast<std::int64_t>(at.epoch) / step_size;
        return after_steps(base, gamma, steps);
    }
};

}  // namespace ptp::schedule

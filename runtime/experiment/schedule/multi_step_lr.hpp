// MultiStepLR: multiplies the rate by gamma at each of the given epochs.

#pragma once

#include "experiment/schedule/gamma_steps.hpp"
#include "experiment/schedule/position.hpp"
#include "schema/one_of.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct MultiStepLr {
    static constexpr std::string_view kName = "MultiStepLR";
    static constexpr std::string_view kHelp = "the rate times gamma at each milestone";
    static constexpr std::string_view kExample =
        R"({ type = "MultiStepLR", milestones = [30, 60], gamma = 0.1 })";
    static constexpr std::array<std::string_view, 0> kOtherNames = {};

    std::vector<std::int64_t> milestones;
    double gamma = 0.1;

    std::vector<schema::Field> fields() {
        return {gamma_field(gamma),
                {.name = "milestones",
                 .into = &milestones,
                 .help = "epochs of the changes, increasing",
                 .length = "[1, inf)",
                 .is_required = true,
                 .expected = "a list of epochs, at least one"}};
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem() const {
        const bool is_increasing =
            std::ranges::adjacent_find(milestones, std::greater_equal()) == milestones.end();
        if (!milestones.empty() && (milestones.front() < 1 || !is_increasing)) {
            return {{"milestones", "must be at least 1 and increase"}};
        }
        return std::nullopt;
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        const auto passed =
            std::ranges::upper_bound(milestones, static_cast<std::int64_t>(at.epoch));
        return after_steps(base, gamma, passed - milestones.begin());
    }
};

}  // namespace ptp::schedule

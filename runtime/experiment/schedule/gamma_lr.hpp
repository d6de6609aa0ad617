// Schedules that multiply the rate by gamma: StepLR after every step_size epochs, MultiStepLR at
// each of the given epochs, ExponentialLR after every epoch.

#pragma once

#include "experiment/schedule/parts.hpp"
#include "schema/fields.hpp"
#include "schema/one_of.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::schedule {

template <class Field = schema::Field>
Field gamma_field(double& gamma) {
    return {.name = "gamma",
            .into = &gamma,
            .help = "factor of the learning rate",
            .range = "(0, inf)"};
}

// Returns the rate after `steps` multiplications.
inline double after_steps(double base, double gamma, auto steps) {
    return base * std::pow(gamma, static_cast<double>(steps));
}

struct StepLr {
    static constexpr std::string_view kName = "StepLR";
    static constexpr std::string_view kHelp = "the rate times gamma after every step_size epochs";
    static constexpr std::string_view kExample =
        R"({ type = "StepLR", step_size = 3, gamma = 0.1 })";
    static constexpr std::array<std::string_view, 1> kOtherNames = {"step"};

    std::int64_t step_size = 1;
    double gamma = 0.1;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
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

struct MultiStepLr {
    static constexpr std::string_view kName = "MultiStepLR";
    static constexpr std::string_view kHelp = "the rate times gamma at each milestone";
    static constexpr std::string_view kExample =
        R"({ type = "MultiStepLR", milestones = [6, 8], gamma = 0.1 })";
    static constexpr std::array<std::string_view, 0> kOtherNames = {};

    std::vector<std::int64_t> milestones;
    double gamma = 0.1;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
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

struct ExponentialLr {
    static constexpr std::string_view kName = "ExponentialLR";
    static constexpr std::string_view kHelp = "the rate times gamma after every epoch";
    static constexpr std::string_view kExample = R"({ type = "ExponentialLR", gamma = 0.95 })";
    static constexpr std::array<std::string_view, 1> kOtherNames = {"exponential"};

    double gamma = 0.1;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        Field field = gamma_field(gamma);
        field.is_required = true;
        return {field};
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        return after_steps(base, gamma, at.epoch);
    }
};

}  // namespace ptp::schedule

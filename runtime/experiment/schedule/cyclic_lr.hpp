// CyclicLR: the rate rises from the optimizer's to max_lr and falls again, repeatedly, while
// momentum falls and rises.
//
// Smith, "Cyclical learning rates for training neural networks" (2017), in the form of
// torch.optim.lr_scheduler.CyclicLR.

#pragma once

#include "experiment/schedule/parts.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct CyclicLr {
    static constexpr std::string_view kName = "CyclicLR";
    static constexpr std::string_view kHelp =
        "between the optimizer's rate and max_lr, in cycle after cycle";
    static constexpr std::string_view kExample = R"({ type = "CyclicLR", max_lr = 0.1 })";
    static constexpr std::array<std::string_view, 2> kOtherNames = {"cyclic", "triangular"};

    double max_lr = 0;
    std::int64_t step_size_up = 2000;
    std::optional<std::int64_t> step_size_down = {};
    std::string mode = "triangular";
    double gamma = 1;
    CycledMomentum cycled_momentum = {.base = 0.8, .max = 0.9};

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        std::vector<Field> all = {
            {.name = "max_lr",
             .into = &max_lr,
             .help = "the rate in the middle of the first cycle",
             .range = "(0, inf)",
             .is_required = true},
            {.name = "step_size_up",
             .into = &step_size_up,
             .help = "episodes in which the rate rises",
             .range = "[1, inf)"},
            {.name = "step_size_down",
             .into = &step_size_down,
             .help = "episodes in which the rate falls; by default as many as it rises",
             .range = "[1, inf)"},
            {.name = "mode",
             .into = &mode,
             .help = "how the height changes: never, half of it after each cycle, or by gamma",
             .choices = {"triangular", "triangular2", "exp_range"}},
            {.name = "gamma",
             .into = &gamma,
             .help = "factor of the height after each episode, in the mode exp_range",
             .range = "(0, 1]"}};
        cycled_momentum.add_fields(all);
        return all;
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem() const {
        return cycled_momentum.problem();
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem_beside(double lr) const {
        if (max_lr < lr) {
            return {
                {"max_lr", fmt::format("must be at least the optimizer's lr, which is {}", lr)}};
        }
        return std::nullopt;
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        return base + (max_lr - base) * height(at);
    }

    [[nodiscard]] double momentum(const Position& at) const {
        return cycled_momentum.max - (cycled_momentum.max - cycled_momentum.base) * height(at);
    }

private:
    // Returns 0 at the start of a cycle, and 1 in the middle of the first one.
    [[nodiscard]] double height(const Position& at) const {
        const double up = static_cast<double>(step_size_up);
        const double down = static_cast<double>(step_size_down.value_or(step_size_up));
        const double episode = static_cast<double>(at.episode);
        const double cycle = std::floor(episode / (up + down));
        const double within = episode - cycle * (up + down);
        const double part = within <= up ? within / up : (up + down - within) / down;
        if (mode == "triangular2") {
            return part * std::pow(0.5, cycle);
        }
        return mode == "exp_range" ? part * std::pow(gamma, episode) : part;
    }
};

}  // namespace ptp::schedule

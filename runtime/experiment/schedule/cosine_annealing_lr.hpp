// CosineAnnealingLR: half a cosine from the optimizer's rate down to eta_min, a step each epoch.

#pragma once

#include "experiment/schedule/parts.hpp"
#include "schema/fields.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct CosineAnnealingLr {
    static constexpr std::string_view kName = "CosineAnnealingLR";
    static constexpr std::string_view kHelp =
        "after every epoch: half a cosine down to eta_min, and back up";
    static constexpr std::string_view kExample = R"({ type = "CosineAnnealingLR" })";
    static constexpr std::array<std::string_view, 2> kOtherNames = {"cosine", "cosine_annealing"};

    std::optional<std::int64_t> half_period = {};
    double eta_min = 0;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {
            {.name = "T_max",
             .into = &half_period,
             .help = "epochs until eta_min; by default as many as the limits allow",
             .range = "[1, inf)"},
            {.name = "eta_min", .into = &eta_min, .help = "the lowest rate", .range = "[0, inf)"}};
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        const double epochs = half_period ? static_cast<double>(*half_period)
                                          : at.total_episodes / at.episodes_per_epoch;
        return cosine_between(base, eta_min, static_cast<double>(at.epoch) / epochs);
    }
};

}  // namespace ptp::schedule

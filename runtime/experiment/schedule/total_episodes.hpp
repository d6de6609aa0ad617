#pragma once

#include "experiment/schedule/position.hpp"
#include "schema/fields.hpp"

#include <cstdint>
#include <optional>

namespace ptp::schedule {

// The length of a schedule, by default that of the training.
struct TotalEpisodes {
    std::optional<std::int64_t> given = {};

    schema::Field field() {
        return {.name = "total_episodes",
                .into = &given,
                .help = "length of the schedule; by default as many as the limits allow",
                .range = "[1, inf)"};
    }

    [[nodiscard]] double at(const Position& position) const {
        return given ? static_cast<double>(*given) : position.total_episodes;
    }
};

}  // namespace ptp::schedule

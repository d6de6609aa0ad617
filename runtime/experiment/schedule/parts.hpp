// Parts of several schedules: position, length, a cosine between two rates, and cycled momentum.

#pragma once

#include "schema/fields.hpp"
#include "schema/one_of.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <vector>

namespace ptp::schedule {

// The position of a training, from which a schedule computes the learning rate. All counts start at
// 0 at the begin of the schedule: the start of the training, or a change by `resume --set`.
struct Position {
    std::uint64_t episode = 0;
    std::uint64_t epoch = 0;        // 0 is the epoch in which the schedule begins
    std::uint64_t batch = 0;        // within the training's epoch
    double epochs_done = 0;         // including the finished part of the epoch
    double episodes_per_epoch = 1;  // of the training set
    double total_episodes = 0;      // from the begin of the schedule to the limits of the training
};

// Interpolates along half a cosine: returns `start` for `part` 0 and `end` for `part` 1.
inline double cosine_between(double start, double end, double part) {
    return end + (start - end) / 2 * (1 + std::cos(std::numbers::pi * part));
}

// The length of a schedule, by default that of the training.
struct TotalEpisodes {
    std::optional<std::int64_t> given = {};

    template <class Field = schema::Field>
    Field field() {
        return {.name = "total_episodes",
                .into = &given,
                .help = "length of the schedule; by default as many as the limits allow",
                .range = "[1, inf)"};
    }

    [[nodiscard]] double at(const Position& position) const {
        return given ? static_cast<double>(*given) : position.total_episodes;
    }
};

// The momentum of schedules that change it inversely to the learning rate.
struct CycledMomentum {
    double base = 0;    // at the highest rate
    double max = 0;     // at the lowest rate
    bool is_on = true;  // default: whether the optimizer has a momentum

    template <class Field>
    void add_fields(std::vector<Field>& fields) {
        fields.push_back({.name = "cycle_momentum",
                          .into = &is_on,
                          .help = "momentum falls as the rate rises, and the reverse"});
        fields.push_back({.name = "base_momentum",
                          .into = &base,
                          .help = "where the rate is highest",
                          .range = "[0, 1)"});
        fields.push_back({.name = "max_momentum",
                          .into = &max,
                          .help = "where the rate is lowest; of Adam: the first beta",
                          .range = "[0, 1)"});
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem() const {
        if (is_on && base > max) {
            return {
                {"base_momentum", fmt::format("must be at most max_momentum, which is {}", max)}};
        }
        return std::nullopt;
    }
};

}  // namespace ptp::schedule

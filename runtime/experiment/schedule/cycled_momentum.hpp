// The momentum of schedules that change it inversely to the learning rate.

#pragma once

#include "schema/one_of.hpp"

#include <fmt/core.h>

#include <optional>
#include <vector>

namespace ptp::schedule {

struct CycledMomentum {
    double base = 0;    // at the highest rate
    double max = 0;     // at the lowest rate
    bool is_on = true;  // default: whether the optimizer has a momentum

    void add_fields(std::vector<schema::Field>& fields) {
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

// PolynomialLR: from the optimizer's rate to 0, rate * (1 - episode / total_episodes) ^ power.

#pragma once

#include "experiment/schedule/parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct PolynomialLr {
    static constexpr std::string_view kName = "PolynomialLR";
    static constexpr std::string_view kHelp = "falls to 0 as a power of the part that is left";
    static constexpr std::string_view kExample = R"({ type = "PolynomialLR", power = 0.9 })";
    static constexpr std::array<std::string_view, 2> kOtherNames = {"polynomial", "poly"};

    TotalEpisodes total_episodes;
    double power = 1;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {total_episodes.field(),
                {.name = "power",
                 .into = &power,
                 .help = "exponent of the part that is left; 1: linear",
                 .range = "(0, inf)"}};
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        const double total = total_episodes.at(at);
        const double done = std::min(static_cast<double>(at.episode), total);
        return base * std::pow(1 - done / total, power);
    }
};

}  // namespace ptp::schedule

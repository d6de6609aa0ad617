#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::control {

struct Continue {
    static constexpr std::string_view kName = "continue";
    static constexpr std::string_view kHelp = "ends a pause";
    static constexpr bool kIsJournalled = false;

    std::optional<std::int64_t> episodes;  // after which it pauses again

    std::vector<schema::Field> fields() {
        return {{.name = "episodes",
                 .into = &episodes,
                 .help = "after how many of them it pauses again",
                 .range = "[1, inf)"}};
    }
};

}  // namespace ptp::control

#pragma once

#include "schema/fields.hpp"

#include <string_view>
#include <vector>

namespace ptp::control {

struct Pause {
    static constexpr std::string_view kName = "pause";
    static constexpr std::string_view kHelp = "stops before the next episode, until `continue`";
    static constexpr bool kIsJournalled = false;

    std::vector<schema::Field> fields() { return {}; }
};

}  // namespace ptp::control

#pragma once

#include "schema/fields.hpp"

#include <string_view>
#include <vector>

namespace ptp::control {

struct Status {
    static constexpr std::string_view kName = "status";
    static constexpr std::string_view kHelp = "how far the training is, and what it runs";
    static constexpr bool kIsJournalled = false;

    std::vector<schema::Field> fields() { return {}; }
};

}  // namespace ptp::control

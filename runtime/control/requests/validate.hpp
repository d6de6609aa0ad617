#pragma once

#include "schema/fields.hpp"

#include <string_view>
#include <vector>

namespace ptp::control {

struct Validate {
    static constexpr std::string_view kName = "validate";
    static constexpr std::string_view kHelp = "measures the whole validation set";
    static constexpr bool kIsJournalled = true;

    std::vector<schema::Field> fields() { return {}; }
};

}  // namespace ptp::control

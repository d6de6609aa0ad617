#pragma once

#include "schema/fields.hpp"

#include <string_view>
#include <vector>

namespace ptp::control {

struct Checkpoint {
    static constexpr std::string_view kName = "checkpoint";
    static constexpr std::string_view kHelp = "saves a checkpoint";
    static constexpr bool kIsJournalled = true;

    std::vector<schema::Field> fields() { return {}; }
};

}  // namespace ptp::control

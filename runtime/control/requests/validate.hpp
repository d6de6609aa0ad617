#pragma once

#include "base/error.hpp"
#include "control/protocol.hpp"
#include "schema/fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::control {

struct Validate {
    static constexpr std::string_view kName = "validate";
    static constexpr std::string_view kHelp = "measures the whole validation set";
    static constexpr bool kIsJournalled = true;

    std::vector<schema::Field> fields() { return {}; }

    void require(auto& run) const {
        if (const std::string reason = run.training().no_validation(); !reason.empty()) {
            throw RunError(kConfigurationError, reason);
        }
    }
    Reply act(auto& run) const { return run.done(run.validate()); }
};

}  // namespace ptp::control

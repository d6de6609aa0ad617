#pragma once

#include "control/protocol.hpp"
#include "schema/fields.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace ptp::control {

struct Status {
    static constexpr std::string_view kName = "status";
    static constexpr std::string_view kHelp = "how far the training is, and what it runs";
    static constexpr bool kIsJournalled = false;

    std::vector<schema::Field> fields() { return {}; }

    Reply act(auto& run) const {
        Value table = run.training().status();
        table.set("state", run.is_paused() ? "paused" : "running");
        table.set("generations", run.generations());
        return {true, "", std::move(table)};
    }
};

}  // namespace ptp::control

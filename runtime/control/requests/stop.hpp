#pragma once

#include "base/counted.hpp"
#include "control/protocol.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <string_view>
#include <vector>

namespace ptp::control {

struct Stop {
    static constexpr std::string_view kName = "stop";
    static constexpr std::string_view kHelp =
        "saves a checkpoint and ends the run with exit code 0; `ptprun resume` continues it";
    static constexpr bool kIsJournalled = false;

    std::vector<schema::Field> fields() { return {}; }

    Reply act(auto& run) const {
        run.stop();
        return run.done("stops after " + counted(run.episodes(), "episode"));
    }
};

}  // namespace ptp::control

#pragma once

#include "base/counted.hpp"
#include "control/protocol.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <string_view>
#include <vector>

namespace ptp::control {

struct Checkpoint {
    static constexpr std::string_view kName = "checkpoint";
    static constexpr std::string_view kHelp = "saves a checkpoint";
    static constexpr bool kIsJournalled = true;

    std::vector<schema::Field> fields() { return {}; }

    Reply act(auto& run) const {
        run.training().save_now();
        return run.done("saved a checkpoint after " + counted(run.episodes(), "episode"));
    }
};

}  // namespace ptp::control

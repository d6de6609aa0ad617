#pragma once

#include "base/counted.hpp"
#include "control/protocol.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <string_view>
#include <vector>

namespace ptp::control {

struct Pause {
    static constexpr std::string_view kName = "pause";
    static constexpr std::string_view kHelp = "stops before the next episode, until `continue`";
    static constexpr bool kIsJournalled = false;

    std::vector<schema::Field> fields() { return {}; }

    Reply act(auto& run) const {
        run.pause();
        return run.done("paused after " + counted(run.episodes(), "episode"));
    }
};

}  // namespace ptp::control

#pragma once

#include "base/counted.hpp"
#include "control/protocol.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::control {

struct Continue {
    static constexpr std::string_view kName = "continue";
    static constexpr std::string_view kHelp = "ends a pause";
    static constexpr bool kIsJournalled = false;

    std::optional<std::int64_t> episodes;  // number after which it pauses again

    std::vector<schema::Field> fields() {
        return {{.name = "episodes",
                 .into = &episodes,
                 .help = "after how many of them it pauses again",
                 .range = "[1, inf)"}};
    }

    Reply act(auto& run) const {
        run.proceed(episodes);
        std::string text = "continues after " + counted(run.episodes(), "episode");
        if (episodes) {
            text += fmt::format(", for {}", *episodes);
        }
        return run.done(std::move(text));
    }
};

}  // namespace ptp::control

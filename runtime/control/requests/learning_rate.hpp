#pragma once

#include "schema/fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::control {

struct LearningRate {
    static constexpr std::string_view kName = "learning_rate";
    static constexpr std::string_view kHelp = "sets the learning rate from the next episode on";
    static constexpr bool kIsJournalled = true;

    double rate = 0;    // schedules apply to it
    std::string group;  // "": of all

    std::vector<schema::Field> fields() {
        return {
            {.name = "rate",
             .into = &rate,
             .help = "the new learning rate",
             .range = "[0, inf)",
             .is_required = true},
            {.name = "group", .into = &group, .help = "the learning rate of this component alone"}};
    }
};

}  // namespace ptp::control

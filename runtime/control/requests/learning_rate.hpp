#pragma once

#include "control/protocol.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

namespace ptp::control {

struct LearningRate {
    static constexpr std::string_view kName = "learning_rate";
    static constexpr std::string_view kHelp = "sets the learning rate from the next episode on";
    static constexpr bool kIsJournalled = true;

    double rate = 0;    // schedules apply to it
    std::string group;  // "": all groups

    std::vector<schema::Field> fields() {
        return {
            {.name = "rate",
             .into = &rate,
             .help = "the new learning rate",
             .range = "[0, inf)",
             .is_required = true},
            {.name = "group", .into = &group, .help = "the learning rate of this component alone"}};
    }

    void require(auto& run) const { run.training().check_group(group); }
    Reply act(auto& run) const {
        run.training().set_learning_rate(rate, group);
        return run.done(fmt::format("the learning rate{} is {:g} from episode {} on",
                                    group.empty() ? "" : " of '" + group + "'", rate,
                                    run.episodes()));
    }
};

}  // namespace ptp::control

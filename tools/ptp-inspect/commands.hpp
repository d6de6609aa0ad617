// The commands of ptp-inspect, which are its first word: each has a file NAME_command.cpp that
// declares and runs it. Without a command it lists plugins.
#pragma once

#include "common/command.hpp"

#include <vector>

namespace ptp::inspect {

tools::Command diff_command();
tools::Command why_command();
tools::Command replay_command();
tools::Command rules_command();

// Returns all commands, in the order of the help.
inline const std::vector<tools::Command>& commands() {
    static const std::vector<tools::Command> all = {why_command(), diff_command(), replay_command(),
                                                    rules_command()};
    return all;
}

}  // namespace ptp::inspect

// The commands of ptp-inspect, which are its first word: each has a file NAME_command.cpp that
// declares and runs it. Without a command it lists plugins.
#pragma once

#include "common/command.hpp"

#include <string_view>
#include <vector>

namespace ptp::inspect {

tools::Command diff_command();
tools::Command why_command();
tools::Command replay_command();
tools::Command rules_command();

// Returns all commands, in the order of the help.
const std::vector<tools::Command>& commands();

// Returns nullptr if the word is not a command.
const tools::Command* find_command(std::string_view word);

}  // namespace ptp::inspect

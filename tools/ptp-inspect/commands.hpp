// The commands of ptp-inspect, which are words that its first one may be: each is a file
// NAME_command.cpp that declares it and runs it. Without one of them it lists plugins.
#pragma once

#include "common/command.hpp"

#include <string_view>
#include <vector>

namespace ptp::inspect {

tools::Command diff_command();
tools::Command why_command();
tools::Command replay_command();
tools::Command rules_command();

// All of them, in the order of the help.
const std::vector<tools::Command>& commands();

// nullptr where the word is none of them.
const tools::Command* find_command(std::string_view word);

}  // namespace ptp::inspect

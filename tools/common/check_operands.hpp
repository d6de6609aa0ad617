// Checks the words of a command line that are not options.
#pragma once

#include "common/command.hpp"

#include <string>

namespace ptp::tools {

// Returns "must be red, green or blue"; "" for one of the choices, or without any.
std::string refusal_of_choice(const std::string& value, const Strings& choices);

// Checks the number of words, and those with choices. Throws UsageError, whose fix is what a word
// too many is probably meant for: a file to lay over the experiment, data, a text, or a
// value of --set.
void check_operands(const Command& command, const Given& given, const Advice& advice);

}  // namespace ptp::tools

// The commands of ptprun: each is a file NAME_command.cpp that declares it and runs it. Their list
// is in CMakeLists.txt.

#pragma once

#include "common/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

using tools::Command;
using tools::Given;
using tools::Option;
using tools::Strings;
using tools::UsageError;

// Placeholders in the completions of an option: the keys of the experiment on the command line,
// alone and as KEY=VALUE, and its sections.
inline constexpr const char* kKeys = ":keys";
inline constexpr const char* kSettings = ":settings";
inline constexpr const char* kSections = ":sections";

// Returns all commands in the order of the help. The first one, without a name, trains the
// experiment that is given without a command.
const std::vector<Command>& commands();

// Returns the name of a command in the help: "run" for the one without a name.
std::string_view help_name(const Command& command);

// Finds a command by its name in the help; nullptr if there is none.
const Command* find_command(std::string_view name);

// Returns the list of commands for `ptprun help`, with a line for each.
std::string overview();

}  // namespace ptp::ptprun

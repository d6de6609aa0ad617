// The commands of ptp-pack: each has a file NAME_command.cpp that declares and runs it.

#pragma once

#include "common/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

using tools::Command;
using tools::Given;
using tools::Option;
using tools::Strings;
using tools::UsageError;

inline constexpr std::string_view kProgramName = "ptp-pack";
inline constexpr std::size_t kMaxOperands = 100'000;

Command create_command();
Command sign_command();
Command verify_command();
Command key_command();
Command install_command();
Command upgrade_command();
Command remove_command();
Command list_command();
Command show_command();
Command search_command();
Command publish_command();
Command set_command();
Command restore_command();
Command unpack_command();
Command completion_command();

// Returns all commands, in the order of the help.
const std::vector<Command>& commands();

// Returns nullptr if there is none.
const Command* find_command(std::string_view name);

// Returns all commands, one per line, and the exit codes.
std::string overview();

}  // namespace ptp::pack

// Commands and options that people know from other programs, and what ptprun has for them.

#pragma once

#include "commands.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

// "\n    fix: ptprun net.toml" for `ptprun train net.toml`; "" for a word that is no such command.
std::string advice_on_command(const std::vector<std::string>& arguments);

// "\n    fix: --set training.terminal_conditions.epoch_limit=5" for `--epochs 5`, or "". Where the
// command does not take that either, the text states it.
std::function<std::string(const std::string& option)> advice_on_option(
    const Command& command, const std::vector<std::string>& arguments);

}  // namespace ptp::ptprun

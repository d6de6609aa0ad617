// Texts of the help beyond the commands themselves: advice on commands and options of other
// programs, and the programs beside ptprun, which are found here, too.
#pragma once

#include "commands.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

// "\n    fix: ptprun net.toml" for `ptprun train net.toml`; "" for a word that is no such command.
// `known` are the commands, by whose options those of other programs are replaced.
std::string advice_on_command(const std::vector<std::string>& arguments,
                              const std::vector<Command>& known);

// "\n    fix: --set training.terminal_conditions.epoch_limit=5" for `--epochs 5`, or "". Where the
// command does not take that either, the text states it.
std::function<std::string(const std::string& option)> advice_on_option(
    const Command& command, const std::vector<std::string>& arguments,
    std::span<const Command> known = {});

// Returns the program that `ptprun NAME` starts; nullopt if there is none.
std::optional<std::filesystem::path> find_program(const std::string& name);

// Returns the names of the programs in ptprun's own folder.
std::vector<std::string> programs_beside();

// Returns the lines of the overview about programs of everyday use that come before a command.
std::string lines_of_programs(std::string_view command);

// Returns the lines of the help about the other programs: those of ptprun's own folder with the
// line that their file has behind "@ptprun-help: ", which is read and not run, and those of PATH by
// name; "" if there are none.
std::string overview_of_programs();

}  // namespace ptp::ptprun

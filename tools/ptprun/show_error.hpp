// Prints errors and warnings to the standard error, in the form of experiment/render.hpp.

#pragma once

#include "base/diagnostics.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

// The name of the program in messages and help.
inline constexpr std::string_view kProgram = "ptprun";

// Prints all problems and their number. `overrides` are the texts of --set, for places in them.
void show(const Diagnostics& problems, const std::vector<std::string>& overrides = {});

// Prints one problem.
void show(const Problem& problem, const std::vector<std::string>& overrides = {});

// Prints an error in the form "MESSAGE", or "PLACE: MESSAGE" from other parts of the program.
void show_error(std::string_view message, const std::vector<std::string>& overrides = {});

// Prints a warning without a place in an experiment. `fix` may be "".
void show_warning(const std::string& message, const std::string& fix = "");

// Prints an error in a command line. `command` is a name in the help: "check".
void show_usage_error(std::string_view message, std::string_view command);

}  // namespace ptp::ptprun

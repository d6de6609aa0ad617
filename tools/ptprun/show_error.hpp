// What goes wrong is shown on the standard error, in the form of experiment/render.hpp.

#pragma once

#include "base/diagnostics.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

// The name of the program in messages and help.
inline constexpr std::string_view kProgram = "ptprun";

// All of them, and their number. `overrides` are the texts of --set, where places may be.
void show(const Diagnostics& problems, const std::vector<std::string>& overrides = {});

// One of them.
void show(const Problem& problem, const std::vector<std::string>& overrides = {});

// An error that is "MESSAGE", or "PLACE: MESSAGE" as other parts of the program write it.
void show_error(std::string_view message, const std::vector<std::string>& overrides = {});

// A warning about no place of an experiment. `fix` may be "".
void show_warning(const std::string& message, const std::string& fix = "");

// A command line that is wrong. `command` is a name in the help: "check".
void show_usage_error(std::string_view message, std::string_view command);

}  // namespace ptp::ptprun

// The options for the output of a run, which all commands that run the engine have.

#pragma once

#include "commands.hpp"
#include "engine/request.hpp"

#include <vector>

namespace ptp::ptprun {

// Returns --quiet and --verbose.
std::vector<Option> console_options();

// Returns --json, --show, --paused and --stop-after, for the commands that train.
std::vector<Option> training_console_options();

Option watch_option();

// Applies the options and the properties of the terminal.
void apply_console_options(const Given& given, engine::RunRequest& request);
void apply_console_options(const Given& given, engine::ProcessRequest& request);
// If a table may go to the standard output, all other output goes to the standard error.
void apply_console_options(const Given& given, engine::PredictRequest& request);

}  // namespace ptp::ptprun

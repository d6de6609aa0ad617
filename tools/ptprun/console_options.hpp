// How a run shows itself: options that all commands which run the engine have.

#pragma once

#include "commands.hpp"
#include "engine/request.hpp"

#include <vector>

namespace ptp::ptprun {

// --quiet and --verbose.
std::vector<Option> console_options();

// For the commands that train: --json, --show, --paused and --stop-after.
std::vector<Option> training_console_options();

Option watch_option();

// Sets what the options and the terminal specify.
void apply_console_options(const Given& given, engine::RunRequest& request);
void apply_console_options(const Given& given, engine::ProcessRequest& request);
// Of a table that may go to the standard output all else goes to the standard error.
void apply_console_options(const Given& given, engine::PredictRequest& request);

}  // namespace ptp::ptprun

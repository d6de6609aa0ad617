// The command lines that the program ptp-search runs.

#pragma once

#include "commands.hpp"

namespace ptp::ptprun {

// The program beside ptprun that trains an experiment several times.
inline constexpr const char* kSearchProgram = "ptp-search";

// The names of commands that are not typed, with the options of a training, sweep_command():
// `ptprun EXPERIMENT.toml` with several values of one --set, or with --swap-check.
inline constexpr const char* kSweep = "sweep";
inline constexpr const char* kSwapCheck = "swap-check";

Command search_command();
Command cv_command();
Command sweep_command();

}  // namespace ptp::ptprun

// The commands of ptprun that programs beside it run.

#pragma once

#include "commands.hpp"

namespace ptp::ptprun {

// The program beside ptprun that trains an experiment several times.
inline constexpr const char* kSearchProgram = "ptp-search";

// The program beside ptprun that lists and compares runs.
inline constexpr const char* kRunsProgram = "ptp-runs";

// The names of commands that are not typed: `ptprun EXPERIMENT.toml` with several values of one
// --set, or with --swap-check.
inline constexpr const char* kSweep = "sweep";
inline constexpr const char* kSwapCheck = "swap-check";

Command search_command();
Command cv_command();
// One of the two, with the options of a training.
Command training_command(const char* name);

Command runs_command();
Command diff_command();

// Returns a command for the program that runs it, by this function.
Command run_by(Command command, int (*run)(const Given&));

}  // namespace ptp::ptprun

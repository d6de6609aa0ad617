// Trains an experiment for each combination of the values of `--set`, and for each fold of a
// cross-validation.

#pragma once

#include "ptp-search/planned_runs.hpp"
#include "ptprun/commands.hpp"

namespace ptp::search {

// Returns the options of a command that trains an experiment several times. What every run has in a
// form of its own, or what is for the command itself, is not passed on.
SweepOptions sweep_options(const ptprun::Given& given);

// Runs `ptprun EXPERIMENT.toml` with several values of one --set, and `ptprun cv`.
int sweep(const ptprun::Given& given);
int cross_validate(const ptprun::Given& given);

}  // namespace ptp::search

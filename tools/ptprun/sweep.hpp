// Trains an experiment for each combination of the values of `--set`.

#pragma once

#include "commands.hpp"
#include "experiment/experiment.hpp"
#include "experiment/load/sweep.hpp"
#include "host/prepare.hpp"
#include "planned_runs.hpp"

#include <optional>
#include <vector>

namespace ptp::ptprun {

// Whether some --set has several values.
bool is_sweep(const host::Request& request);

// Throws UsageError for a sweep: for commands that take one experiment.
void refuse_sweep(const host::Request& request);

// Checks all experiments of a sweep, and prints each problem once. The first experiment goes
// to `first` (optional). Returns the exit code.
int check_sweep(const host::Request& request, const std::vector<experiment::SweepPoint>& points,
                std::optional<experiment::Experiment>* first);

// The combinations; none after printing to standard error what is wrong.
std::vector<experiment::SweepPoint> points_of(const host::Request& request);

SweepOptions sweep_options(const Given& given);

// Checks all, then trains each in a process and a folder of its own, and prints a table of the
// runs. Returns 0 if all are done, 128 and the signal that stopped it, or else the exit code of the
// first run that failed.
int run_sweep(const host::Request& request, SweepOptions options);

}  // namespace ptp::ptprun

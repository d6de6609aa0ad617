// Trains an experiment for each combination of the values of `--set`.

#pragma once

#include "commands.hpp"
#include "experiment/load/sweep.hpp"
#include "host/prepare.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

// Makes the folder for the results of several runs: the one asked for, which must be
// empty or not exist, or a new one in runs/NAME. Throws UsageError.
std::filesystem::path new_results_folder(const std::string& asked_for, const std::string& name);

// Whether some --set has several values.
bool is_sweep(const host::Request& request);

// Throws UsageError for a sweep: for commands that take one experiment.
void refuse_sweep(const host::Request& request);

// Checks all experiments of a sweep, and prints each problem once. The name of the first experiment
// goes to `name` (optional). Returns the exit code.
int check_sweep(const host::Request& request, const std::vector<experiment::SweepPoint>& points,
                std::string* name);

// The combinations; none after printing to standard error what is wrong.
std::vector<experiment::SweepPoint> points_of(const host::Request& request);

struct SweepOptions {
    std::vector<std::string> passed_on;  // what each run is given besides its own --set and folder
    std::string folder;                  // where the runs go; "": runs/NAME/TIME
    std::size_t jobs = 1;
    std::size_t processes = 1;  // of each run
    bool is_shared = false;     // with other ptprun, which have the same command line
    std::int64_t folds = 0;     // trainings of each experiment, for cross-validation; 0: one
};

SweepOptions sweep_options(const Given& given);

// Checks all, then trains each in a process and a folder of its own, and prints a table of the
// runs. Returns 0 if all are done, 128 and the signal that stopped it, or else the exit code of the
// first run that failed.
int run_sweep(const host::Request& request, const SweepOptions& options);

}  // namespace ptp::ptprun

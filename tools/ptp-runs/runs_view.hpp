// Shows runs for `ptprun runs`: as a list or in groups, to a person or to a program.

#pragma once

#include "ptp-runs/table.hpp"
#include "ptprun/commands.hpp"
#include "run/run.hpp"

#include <string>
#include <vector>

namespace ptp::runs {

// Prints the runs that the options ask for, as text, or in the format of --csv or --json. `folders`
// is where they were found, for a message. Throws UsageError for a key that no run has.
void print_runs(std::vector<run::Run> all, const std::string& folders, const ptprun::Given& given);

// Prints a table fitted to the terminal.
void print_table(const Table& table);

// Prints the table of a sweep; if seeds or folds vary, also mean and deviation over these, and with
// folds also those of the last epochs, which the held-out samples did not choose.
void print_sweep(const std::vector<run::Run>& all);

}  // namespace ptp::runs

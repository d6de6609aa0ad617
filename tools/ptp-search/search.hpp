// The commands that train an experiment several times: for drawn values, rung by rung, for each
// combination of given values, and for each fold of a cross-validation.

#pragma once

#include "experiment/experiment.hpp"
#include "ptp-search/halving.hpp"
#include "ptp-search/planned_runs.hpp"
#include "ptprun/commands.hpp"

#include <string>
#include <vector>

namespace ptp::search {

// The value by which trials are compared: training.judge, or the loss.
struct Metric {
    std::string name;
    bool is_larger_better = false;
};

struct SearchPlan {
    std::vector<Rung> rungs;
    Metric metric;
    bool is_online = false;  // budgets are episodes, not epochs
    std::uint64_t seed = 0;
};

SearchPlan search_plan(const experiment::Experiment& experiment);

// Participates in a search until it is finished, or other processes have all remaining trials.
// Returns 0 if a trial was trained to its end, or if other processes train the rest; 128 + the
// signal that stopped it; or else the exit code of the first trial that failed. Throws RunError for
// files that cannot be written, UsageError for a folder of something else.
int run_search(const PlannedRuns& trials, const SearchPlan& plan, const SweepOptions& options);

// Returns the options of a command that trains an experiment several times. What every run has in a
// form of its own, or what is for the command itself, is not passed on.
SweepOptions sweep_options(const ptprun::Given& given);

// Run `ptprun search`, `ptprun EXPERIMENT.toml` with several values of one --set, and `ptprun cv`.
int search(const ptprun::Given& given);
int sweep(const ptprun::Given& given);
int cross_validate(const ptprun::Given& given);

}  // namespace ptp::search

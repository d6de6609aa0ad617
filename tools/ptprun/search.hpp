// Trains the trials of a search, rung by rung.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/halving.hpp"
#include "planned_runs.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

// The value by which trials are compared: training.judge, or the loss.
struct Metric {
    std::string name;
    bool is_larger_better = false;
};

struct SearchPlan {
    std::vector<experiment::Rung> rungs;
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

}  // namespace ptp::ptprun

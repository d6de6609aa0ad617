// Prints the results of a search for a person.

#pragma once

#include "ptp-search/planned_runs.hpp"
#include "ptp-search/search.hpp"
#include "ptp-search/trial_results.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::search {

struct TrialOutcome {
    std::size_t rung = 0;  // last rung of the trial
    TrialResult result = {};
};

// Returns "3 epochs".
std::string budget_text(std::int64_t budget, bool is_online);

// Prints the trials, the best first, and the command that trains the best one again. Returns 0 if a
// trial of the last rung was trained to its end, otherwise the exit code of the first one that
// failed.
int print_search(const PlannedRuns& trials, const SearchPlan& plan, const SweepOptions& options,
                 const std::vector<TrialOutcome>& outcomes);

}  // namespace ptp::search

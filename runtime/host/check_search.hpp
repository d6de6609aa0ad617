// What [search] asks for, against the declarations of the experiment that it is in.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "experiment/halving.hpp"
#include "host/prepare.hpp"

#include <cstdint>

namespace ptp::host {

// How long a training is, as a search counts it.
struct TrialBudget {
    bool is_online = false;  // in episodes, not epochs
    std::int64_t limit = 0;  // of the experiment; -1: none
    std::int64_t first_validation = 1;
};

TrialBudget trial_budget(const experiment::Experiment& experiment);

// The rungs of a search without errors.
experiment::HalvingPlan halving_plan(const experiment::Experiment& experiment);

// Reports, at its place in the space, each lowest and highest value and each choice with which the
// experiment is wrong, or with which trials could not be compared; and a budget that the training
// cannot have. `prepared` is what the request has given, without errors.
void check_search(const Request& request, const Prepared& prepared, Diagnostics& problems);

}  // namespace ptp::host

// Checks [search] against the declarations of its experiment.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "host/prepare.hpp"

#include <cstdint>

namespace ptp::ptprun {

// The length of a training, in the units of a search.
struct TrialBudget {
    bool is_online = false;  // in episodes, not epochs
    std::int64_t limit = 0;  // the experiment's; -1: none
    std::int64_t first_validation = 1;
};

TrialBudget trial_budget(const experiment::Experiment& experiment);

// Reports, at its place in the space, each lowest and highest value and each choice with which the
// experiment is invalid, or trials would not be comparable; and a budget that the training cannot
// have. `prepared` is the result of the request, without errors.
void check_search(const host::Request& request, const host::Prepared& prepared,
                  Diagnostics& problems);

}  // namespace ptp::ptprun

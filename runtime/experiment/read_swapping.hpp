// [swap].

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// `scope` is the table, `experiment` what has been read of the other tables.
void read_swapping(const Scope& scope, const Experiment& experiment, Swapping& swapping);

// The reverse.
Value tree_of(const Swapping& swapping);

}  // namespace ptp::experiment

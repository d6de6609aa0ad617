// Reads and writes [swap].

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// Reads the table `scope`; `experiment` contains the other tables that have been read.
void read_swapping(const Scope& scope, const Experiment& experiment, Swapping& swapping);

// Returns the table: the inverse of read_swapping().
Value tree_of(const Swapping& swapping);

}  // namespace ptp::experiment

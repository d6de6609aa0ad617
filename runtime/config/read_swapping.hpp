// [swap].

#pragma once

#include "config/experiment.hpp"
#include "config/fields.hpp"

namespace ptp::config {

// `scope` is the table, `experiment` what has been read of the rest.
void read_swapping(const Scope& scope, const Experiment& experiment, Swapping& swapping);

// The reverse.
Value tree_of(const Swapping& swapping);

}  // namespace ptp::config

// Where the optimizer's option `fused` can be had.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// Reports it where the libtorch of this build has no such steps.
void check_fused(const Scope& root, const Experiment& experiment);

}  // namespace ptp::experiment

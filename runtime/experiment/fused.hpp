// Checks the optimizer's option `fused`.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// Reports the option if the libtorch of this build has no fused steps.
void check_fused(const Scope& root, const Experiment& experiment);

}  // namespace ptp::experiment

// Where training.precision can be had.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// Reports "fp16" on a device that the libtorch of this build does not compute in float16 on.
void check_precision(const Scope& root, const Experiment& experiment);

}  // namespace ptp::experiment

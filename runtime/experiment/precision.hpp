// Checks training.precision.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// Reports "fp16" on a device where the libtorch of this build does not support float16.
void check_precision(const Scope& root, const Experiment& experiment);

}  // namespace ptp::experiment

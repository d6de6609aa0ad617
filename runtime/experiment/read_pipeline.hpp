// Reads [pipeline] and its components.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// Reads the table `scope`.
void read_pipeline(const Scope& scope, Pipeline& pipeline);

}  // namespace ptp::experiment

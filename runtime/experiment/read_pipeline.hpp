// [pipeline] and its components.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// `scope` is the table `pipeline`.
void read_pipeline(const Scope& scope, Pipeline& pipeline);

}  // namespace ptp::experiment

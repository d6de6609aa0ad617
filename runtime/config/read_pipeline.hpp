// [pipeline] and its components.

#pragma once

#include "config/experiment.hpp"
#include "config/fields.hpp"

namespace ptp::config {

// `scope` is the table `pipeline`.
void read_pipeline(const Scope& scope, Pipeline& pipeline);

}  // namespace ptp::config

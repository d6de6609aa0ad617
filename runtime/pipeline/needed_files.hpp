// The files and folders that must be there before a run can begin.

#pragma once

#include "config/diagnostics.hpp"
#include "config/experiment.hpp"
#include "pipeline/wiring.hpp"

namespace ptp::pipeline {

// Reports, as missing data, the weights of `load` and the paths in settings that declare how to
// obtain what they name.
void check_needed_files(const config::Experiment& experiment, const Assembly& assembly,
                        config::Diagnostics& problems);

}  // namespace ptp::pipeline

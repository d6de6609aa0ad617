// The stream from which a sampler that balances classes takes them.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/wiring.hpp"

namespace ptp::pipeline {

// Reports a sampler's label stream that its section's task does not write, or that has no integer
// or string for each sample.
void check_label_streams(const experiment::Experiment& experiment, const Assembly& assembly,
                         Diagnostics& problems);

}  // namespace ptp::pipeline

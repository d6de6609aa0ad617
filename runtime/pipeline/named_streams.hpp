// Streams that an experiment names outside of its pipeline.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/wiring.hpp"

namespace ptp::pipeline {

// Reports a sampler's stream of labels or lengths that neither its section's task nor a transform
// behind it that treats each sample by itself writes, or that has no integer (or label) for each
// sample, and "task" of a sampler whose task states nothing of its samples.
void check_sampler_streams(const experiment::Experiment& experiment, const Assembly& assembly,
                           Diagnostics& problems);
// Reports names in [records] that no stream has, and streams that are not images.
void check_record_streams(const experiment::Records& records, const Plan& plan,
                          Diagnostics& problems);

}  // namespace ptp::pipeline

// Facts about the data that are known before it is read: how many samples a task has, and which
// files components write.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/wiring.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Reports samplers that ask for samples that a task does not have, where its declaration states how
// many it has. `processed` are the sections that run; none: all.
void check_samples(const experiment::Experiment& experiment, const Assembly& assembly,
                   const std::vector<std::string>& processed, Diagnostics& problems);

// Reports components that would write the same file.
void check_output_files(const Assembly& assembly, Diagnostics& problems);

}  // namespace ptp::pipeline

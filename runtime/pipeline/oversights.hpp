// Warns of what is allowed and hardly meant: what no component reads, what no loss trains, samples
// that are trained on and measured by, sections that prepare samples differently, and an interval
// that nothing has.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/wiring.hpp"

#include <vector>

namespace ptp::pipeline {

// Looks at an experiment that is trained, once its components are wired. `unfed` are the components
// that the training is without, because only a task of [process] writes what they read.
void warn_of_oversights(const experiment::Experiment& experiment, const Assembly& assembly,
                        const std::vector<Draft>& unfed, Diagnostics& problems);

}  // namespace ptp::pipeline

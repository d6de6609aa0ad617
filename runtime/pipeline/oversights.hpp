// Warns of what is allowed and hardly meant: what no component reads, what no loss trains, samples
// that are trained on and measured by, sections that prepare samples differently, and an interval
// that nothing has.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/wiring.hpp"

namespace ptp::pipeline {

// Of an experiment that is trained, once its components are wired.
void warn_of_oversights(const experiment::Experiment& experiment, const Assembly& assembly,
                        Diagnostics& problems);

}  // namespace ptp::pipeline

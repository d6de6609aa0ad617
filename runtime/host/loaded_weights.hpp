// Finds what `load` names, as commands do.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "host/prepare.hpp"

namespace ptp::host {

// Sets each `load` to the run or the model that its name means; a file or a folder stays. Returns
// false if a run is missing, which is reported where weights are needed.
bool name_loaded_runs(experiment::Experiment& experiment, bool are_needed, Diagnostics& problems);

// In loaded_scales.cpp: warns of weights that are loaded from a training whose task normalizes
// images, or other numbers, otherwise than that of this training.
void warn_of_other_scales(const Prepared& prepared, Diagnostics& problems);

}  // namespace ptp::host

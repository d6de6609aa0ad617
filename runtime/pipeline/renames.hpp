// The names that an experiment assigns to a component's streams, globals and statistics.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evaluate.hpp"

namespace ptp::pipeline {

// Fills in the draft's bindings and wires, globals and statistics; reports names of things that the
// component does not have, and warns of those that it does not have with these settings.
void apply_names(Draft& draft, const experiment::Names& names, const Settings& settings,
                 Diagnostics& problems);

}  // namespace ptp::pipeline

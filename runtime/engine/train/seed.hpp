// The seed of a run that does not specify one.

#pragma once

#include "experiment/experiment.hpp"

namespace ptp::engine {

// Returns the experiment with its seed, or with one drawn from the system.
experiment::Experiment with_seed(experiment::Experiment experiment);

}  // namespace ptp::engine

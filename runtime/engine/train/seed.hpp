// The seed of a run that names none.

#pragma once

#include "experiment/experiment.hpp"

namespace ptp::engine {

// The experiment with the seed that is used: its own, or one drawn from the system.
experiment::Experiment with_seed(experiment::Experiment experiment);

}  // namespace ptp::engine

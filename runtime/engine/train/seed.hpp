// The seed of a run that names none.

#pragma once

#include "config/experiment.hpp"

namespace ptp::engine {

// The experiment with the seed that is used: its own, or one drawn from the system.
config::Experiment with_seed(config::Experiment experiment);

}  // namespace ptp::engine

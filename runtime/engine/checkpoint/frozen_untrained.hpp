// Warns of parameters that are frozen to the end, and that no `load` has filled.

#pragma once

#include "engine/checkpoint/fit.hpp"
#include "engine/component/components.hpp"
#include "experiment/experiment.hpp"

#include <spdlog/logger.h>

#include <vector>

namespace ptp::engine {

// Judges the components that something is loaded into: of others the check of the experiment warns.
// Parameters with one value in all elements, such as new normalizations, are not random.
void warn_of_frozen_untrained(const experiment::Pipeline& pipeline, const std::vector<Fit>& fits,
                              const Components& components, spdlog::logger& log);

}  // namespace ptp::engine

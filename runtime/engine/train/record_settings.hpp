// The settings that the components of a run were given, defaults included.

#pragma once

#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <functional>
#include <string>

namespace ptp::engine {

// The experiment with all settings of its tasks and enabled components as the plan has them, so
// that a record of it has the same meaning under a newer plugin with other defaults. REQUIRES: the
// plan was made of this experiment.
experiment::Experiment with_settings(experiment::Experiment experiment, const pipeline::Plan& plan);

// Calls `visit` with the settings of each task and component, and the path of its table.
void for_each_settings(experiment::Experiment& experiment,
                       const std::function<void(const std::string& path, Value& settings)>& visit);

}  // namespace ptp::engine

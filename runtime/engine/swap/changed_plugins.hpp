// Plugins that were rebuilt between the check of an experiment and the start of its training.

#pragma once

#include "engine/component/plugins.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <spdlog/logger.h>

#include <memory>

namespace ptp::engine {

// The data that a new plan points into.
struct ChangedPlugins {
    plugin::Catalog catalog;
};

// Copies and loads the plugins of the plan. If a file has changed since the plan was made, the plan
// is made again for the copies, so that later changes of the files do not matter. Returns nullptr
// if the plan does not change. Throws RunError: kConfigurationError if the experiment does not fit
// the new builds. [main]
std::unique_ptr<ChangedPlugins> load_plugins(const experiment::Experiment& experiment,
                                             pipeline::Plan& plan, Plugins& plugins,
                                             spdlog::logger& log);

}  // namespace ptp::engine

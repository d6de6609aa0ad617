// Plugins whose files have changed between the check of an experiment and the start of its
// training, because they were built anew just then.

#pragma once

#include "engine/component/plugins.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <spdlog/logger.h>

#include <memory>

namespace ptp::engine {

// What a new plan points into.
struct ChangedPlugins {
    plugin::Catalog catalog;
};

// Copies and loads the plugins of the plan. Where a file is not what the plan was made from any
// more, the plan is made again for what was copied, so that nothing that happens to the files from
// then on matters. nullptr where the plan stays as it is. Throws RunError: kConfigurationError
// where the experiment does not fit the new builds. [main]
std::unique_ptr<ChangedPlugins> load_plugins(const experiment::Experiment& experiment,
                                             pipeline::Plan& plan, Plugins& plugins,
                                             spdlog::logger& log);

}  // namespace ptp::engine

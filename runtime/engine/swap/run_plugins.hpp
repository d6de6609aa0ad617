// The plugins with which the process of a run begins, or continues from a checkpoint.

#pragma once

#include "base/explanation.hpp"
#include "engine/component/plugins.hpp"
#include "engine/swap/next_pipeline.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"
#include "plugin/staging.hpp"

#include <spdlog/logger.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace ptp::engine {

// Copies and loads the plugins of the plan. If a file has changed since the plan was made, the plan
// is made again for the copies, so that later changes of the files do not matter. Returns what the
// new plan points into, nullptr if the plan does not change. Throws RunError, kConfigurationError
// if the experiment does not fit the new builds. [main]
std::unique_ptr<plugin::Catalog> load_plugins(const experiment::Experiment& experiment,
                                              pipeline::Plan& plan, Plugins& plugins,
                                              spdlog::logger& log);

// Returns the pipeline with the generations that wrote the checkpoint, or nullptr if these are the
// plugins of `first`, with which the run began. Activates new ones. Throws RunError, kPluginError
// for a generation that is missing or whose file has changed, and in safe mode for one that does
// not come with ptp. [main]
std::shared_ptr<NextPipeline> resumed_pipeline(const CurrentPipeline& first, Plugins& plugins,
                                               const std::filesystem::path& run_folder,
                                               const std::filesystem::path& checkpoint,
                                               bool is_safe);

// Returns why a run in safe mode refuses the file, or nullopt if it comes with ptp.
std::optional<Explanation> refuse_origin(const plugin::Staged& staged);

}  // namespace ptp::engine

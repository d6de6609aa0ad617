// The pipeline of a run that continues, with the generations that wrote its checkpoint.

#pragma once

#include "engine/component/plugins.hpp"
#include "engine/swap/next_pipeline.hpp"

#include <filesystem>
#include <memory>

namespace ptp::engine {

// Returns nullptr if these are the plugins of `first`, with which the run began. Activates new
// ones. Throws RunError: kPluginError for a generation that is missing or whose file has changed,
// and in safe mode for one that does not come with ptp. [main]
std::shared_ptr<NextPipeline> resumed_pipeline(const CurrentPipeline& first, Plugins& plugins,
                                               const std::filesystem::path& run_folder,
                                               const std::filesystem::path& checkpoint,
                                               bool is_safe);

}  // namespace ptp::engine

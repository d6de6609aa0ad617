// The pipeline of a run that continues, with the generations that its checkpoint was written by.

#pragma once

#include "engine/component/plugins.hpp"
#include "engine/swap/next_pipeline.hpp"

#include <filesystem>
#include <memory>

namespace ptp::engine {

// nullptr where these are the plugins of `first`, with which the run had begun. The new ones are
// put active. Throws RunError: kPluginError for a generation that is not there any more or whose
// file has changed, and in safe mode for one that does not come with ptp. [main]
std::shared_ptr<NextPipeline> resumed_pipeline(const CurrentPipeline& first, Plugins& plugins,
                                               const std::filesystem::path& run_folder,
                                               const std::filesystem::path& checkpoint,
                                               bool is_safe);

}  // namespace ptp::engine

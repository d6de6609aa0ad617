// The plugins of a run, from its folder.

#pragma once

#include "base/diagnostics.hpp"

#include <filesystem>
#include <vector>

namespace ptp::host {

// Returns for each plugin the copy that the run began with, as in its plugins.lock; for a run
// without one, all in its folder. Reports copies that differ from the lock.
// Throws RunError (kPluginError) where some are missing.
std::vector<std::filesystem::path> first_plugins(const std::filesystem::path& run,
                                                 Diagnostics& problems);

// Returns the copies that were active when this checkpoint was written, except of plugins in these
// folders: other builds of those are used. For the folder of an opened bundle, those of
// bundle_plugins().
std::vector<std::filesystem::path> plugins_of(
    const std::filesystem::path& run, const std::filesystem::path& checkpoint,
    Diagnostics& problems, const std::vector<std::filesystem::path>& replacements = {});

}  // namespace ptp::host

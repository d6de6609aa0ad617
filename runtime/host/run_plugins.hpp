// The plugins that a run has used, out of its folder.

#pragma once

#include "base/diagnostics.hpp"

#include <filesystem>
#include <vector>

namespace ptp::host {

// Of each plugin the copy that the run began with, as in its plugins.lock; of a run without one
// all that lie in its folder. Reports copies that are not what was locked.
std::vector<std::filesystem::path> first_plugins(const std::filesystem::path& run,
                                                 Diagnostics& problems);

// The same with what was active when this checkpoint was written, but for plugins that lie in these
// folders: other builds of them are used.
std::vector<std::filesystem::path> plugins_of(
    const std::filesystem::path& run, const std::filesystem::path& checkpoint,
    Diagnostics& problems, const std::vector<std::filesystem::path>& replacements = {});

}  // namespace ptp::host

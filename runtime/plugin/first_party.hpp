// Identifies the plugins that come with ptp itself.
#pragma once

#include <filesystem>
#include <string_view>

namespace ptp::plugin {

// Returns whether plugins of this name come with ptp.
bool is_first_party_name(std::string_view plugin);

// Returns whether a file is the plugin of this name that came with the ptp in this folder, or an
// identical copy, such as those in runs.
bool is_first_party(std::string_view plugin, const std::filesystem::path& file,
                    const std::filesystem::path& installation_folder);

}  // namespace ptp::plugin

// Which plugins come with ptp itself.
#pragma once

#include <filesystem>
#include <string_view>

namespace ptp::plugin {

// Whether plugins of this name come with ptp.
bool is_first_party_name(std::string_view plugin);

// Whether a file is the plugin of this name that came with the ptp of this folder, or a copy of it
// bit for bit, such as those that runs have.
bool is_first_party(std::string_view plugin, const std::filesystem::path& file,
                    const std::filesystem::path& installation_folder);

}  // namespace ptp::plugin

// The folders where models are installed: bundles that ptp-pack puts beside packages of plugins.

#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace ptp::plugin {

inline constexpr const char* kModelEnding = ".ptpm";

// Returns the folder of the models that belong to a folder of plugins: `models` beside it, with a
// file NAME.ptpm for each. Empty for an empty path.
std::filesystem::path models_folder(const std::filesystem::path& plugins);

// Returns the file of an installed model: of this user, or else of the machine of this executable.
// nullopt for a word that names none. [main]
std::optional<std::filesystem::path> installed_model(std::string_view word,
                                                     const std::filesystem::path& executable);

}  // namespace ptp::plugin

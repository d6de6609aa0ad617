// The folders where models are installed: bundles that ptp-pack puts beside packages of plugins.

#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace ptp::bundle {

// Returns the folder of the models that belong to a folder of plugins or of packages: `models`
// beside it, with a file NAME.ptpm for each. Empty for an empty path.
std::filesystem::path models_folder(const std::filesystem::path& beside);

// Returns whether a model may have this name. `last` and `best` may not: they name runs.
bool is_model_name(std::string_view name);

// Returns the file of the installed model that a word means: one of this user, or else of the
// machine of this executable. nullopt where none has this name, or where a file, a run or a
// checkpoint in `folder` has it, or a run below `runs` there or below the usual root. [main]
std::optional<std::filesystem::path> installed_model(std::string_view word,
                                                     const std::filesystem::path& folder,
                                                     const std::filesystem::path& executable);

}  // namespace ptp::bundle

// A saved state in two files of a folder: NAME.toml and NAME.safetensors.

#pragma once

#include "engine/component/saved_state.hpp"

#include <filesystem>
#include <string>

namespace ptp::engine {

// Into a folder that is being made, and back. Reading trusts nothing. Throw RunError.
void write_saved_state(const std::filesystem::path& folder, const std::string& name,
                       const SavedState& state);
SavedState read_saved_state(const std::filesystem::path& folder, const std::string& name);

}  // namespace ptp::engine

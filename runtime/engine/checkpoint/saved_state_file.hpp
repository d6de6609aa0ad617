// The state of a training in two files: run::kTrainingFile and run::kTrainingTensorsFile.

#pragma once

#include "engine/component/saved_state.hpp"

#include <filesystem>

namespace ptp::engine {

// Into a folder that is being made, and back. Reading trusts nothing. Throw RunError.
void write_saved_state(const std::filesystem::path& folder, const SavedState& state);
SavedState read_saved_state(const std::filesystem::path& folder);

}  // namespace ptp::engine

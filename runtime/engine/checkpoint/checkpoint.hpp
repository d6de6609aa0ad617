// What a run keeps of its training: all tensors, and beside them where the training was.

#pragma once

#include "config/value.hpp"
#include "config/weights_file.hpp"
#include "engine/step/components.hpp"

#include <filesystem>
#include <string>

namespace ptp::engine {

using config::kWeightsFile;
inline constexpr const char* kRecordFile = "checkpoint.toml";

// Writes the folder as a whole (see replace_folder()): every component's tensors as
// "<component>.<tensor>", and the record, a table. [main] Throws RunError.
void write_checkpoint(const std::filesystem::path& folder, const Components& components,
                      const config::Value& record);

// Puts the tensors of a checkpoint's folder back into the components they came from. Throws
// RunError.
void restore_checkpoint(const std::filesystem::path& folder, const Components& components);

}  // namespace ptp::engine

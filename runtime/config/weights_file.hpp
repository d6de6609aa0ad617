// Where the weights lie that an experiment names.

#pragma once

#include <filesystem>

namespace ptp::config {

inline constexpr const char* kWeightsFile = "weights.safetensors";

// The file itself; of a folder, the one in it, or that of the best checkpoint if it is a run's
// folder. It need not exist.
std::filesystem::path weights_file(const std::filesystem::path& named);

}  // namespace ptp::config

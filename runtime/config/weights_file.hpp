// Where the weights lie that an experiment names.

#pragma once

#include <filesystem>

namespace ptp::config {

inline constexpr const char* kWeightsFile = "weights.safetensors";
inline constexpr const char* kAveragesFile = "averages.safetensors";

// The file itself; of a checkpoint's folder the weights that were evaluated, which are the averages
// if there are any; of a run's folder those of the best checkpoint. It need not exist.
std::filesystem::path weights_file(const std::filesystem::path& named);

}  // namespace ptp::config

// Finds the file of the weights that an experiment names, and detects its format.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp::experiment {

inline constexpr const char* kWeightsFile = "weights.safetensors";
inline constexpr const char* kAveragesFile = "averages.safetensors";
inline constexpr const char* kCheckpointsFolder = "checkpoints";  // within a run
inline constexpr const char* kBestCheckpoint = "best";            // within that folder

// Returns the file itself; for a checkpoint's folder the weights that were evaluated, which are the
// averages if there are any; for a run's folder the weights of the best checkpoint. The file need
// not exist.
std::filesystem::path weights_file(const std::filesystem::path& named);

enum class WeightsForm : std::int32_t {
    kSafetensors,
    kTorchZip,     // the format of torch.save()
    kTorchLegacy,  // its format before PyTorch 1.6
    kNone
};

// Detects the format by the first bytes, regardless of the name. Never waits and never fails.
WeightsForm weights_form(const std::filesystem::path& file);

// Returns why an existing file has no readable weights, as a part of a sentence about it; "" if its
// beginning and its end show no reason. Never waits and never fails.
std::string why_no_weights(const std::filesystem::path& file);

}  // namespace ptp::experiment

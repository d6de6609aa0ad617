// Finds the file of the weights that an experiment names, and detects its format.

#pragma once

#include <cstddef>
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
    kBundle,       // a file of `ptprun bundle`, with safetensors in it
    kNone
};

// Detects the format by the first bytes, regardless of the name. Never waits and never fails.
WeightsForm weights_form(const std::filesystem::path& file);

// The bytes of a file that are safetensors.
struct WeightsBytes {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// Returns those of the weights in a bundle; all of any other file. Throws FileError for a file that
// cannot be read, and for a bundle that is damaged or has no weights.
WeightsBytes weights_bytes(const std::filesystem::path& file);

// The first file of a bundle, by which it is known, and the largest number of files in one.
inline constexpr const char* kBundleManifest = "manifest.toml";
inline constexpr std::size_t kMaxBundleFiles = 1000;

// Returns whether a file begins like a bundle. Unreadable files do not.
bool is_bundle(const std::filesystem::path& file);

// Returns why an existing file has no readable weights, as a part of a sentence about it; "" if its
// beginning and its end show no reason. Never waits and never fails.
std::string why_no_weights(const std::filesystem::path& file);

}  // namespace ptp::experiment

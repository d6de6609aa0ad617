// Reads a file of weights in any known form. Nothing in it is trusted, and no code in it is run.

#pragma once

#include "engine/pretrained/torch_file.hpp"

#include <filesystem>

namespace ptp::engine {

// Reads a safetensors file, or a file of torch.save(): a zip archive, or the form before PyTorch
// 1.6. Throws RunError with kDataError, which names the file, the error and the fix.
SavedWeights read_weights(const std::filesystem::path& path);

}  // namespace ptp::engine

// Reads a file of weights in any form that is known. Nothing in it is trusted, and no code in it is
// run.

#pragma once

#include "engine/pretrained/torch_file.hpp"

#include <filesystem>

namespace ptp::engine {

// A safetensors file, or what torch.save() wrote: a zip archive, or the form before PyTorch 1.6.
// Throws RunError with kDataError, which names the file, what is wrong with it and what to do.
SavedWeights read_weights(const std::filesystem::path& path);

}  // namespace ptp::engine

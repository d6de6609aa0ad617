// Reads the files of torch.save(). Nothing in them is trusted, and no code in them is run.

#pragma once

#include "engine/component/saved_state.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

struct SavedWeights {
    TensorsByName tensors;            // in CPU memory; several may share it
    std::vector<std::string> others;  // names of values that are not tensors
    // Written by PyTorch: names need no component prefix, and normalization has no
    // `num_batches_tracked` if the file is old.
    bool is_from_torch = false;
};

// Read a zip archive, and the form before PyTorch 1.6. Both throw PickleError with the error and
// the fix.
SavedWeights read_torch_zip(const std::filesystem::path& path);
SavedWeights read_torch_legacy(const std::filesystem::path& path);

}  // namespace ptp::engine

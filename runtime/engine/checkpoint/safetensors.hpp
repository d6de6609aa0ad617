// Tensors in a safetensors file: a header in JSON, then the bytes. Reading one runs no code.

#pragma once

#include "engine/component/saved_state.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace ptp::engine {

// Writes a new file and brings it to the disk. The tensors' bytes are unchanged; the same tensors
// produce the same file. Names are unique. Throws RunError with kTrainingError.
void write_safetensors(const std::filesystem::path& path, const TensorsByName& tensors,
                       const std::map<std::string, std::string>& metadata);

// What a file holds. Nothing in it is trusted.
struct Safetensors {
    TensorsByName tensors;  // in the order of their bytes; CPU memory of their own
    std::map<std::string, std::string> metadata;
};

// Throws RunError with kDataError, which names the file and what is wrong with it.
Safetensors read_safetensors(const std::filesystem::path& path);

}  // namespace ptp::engine

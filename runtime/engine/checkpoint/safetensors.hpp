// Tensors in a safetensors file: a header in JSON, then the bytes. Reading one runs no code.

#pragma once

#include "base/output_file.hpp"
#include "engine/component/saved_state.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace ptp::engine {

// Writes a new file and brings it to the disk. The tensors' bytes are unchanged; the same tensors
// produce the same file. Names are unique. Throws RunError with kTrainingError.
void write_safetensors(const std::filesystem::path& path, const TensorsByName& tensors,
                       const std::map<std::string, std::string>& metadata);

// The bytes of such a file: for one that has more than these.
struct SafetensorsBytes {
    std::string header;               // with its length before it
    std::vector<at::Tensor> tensors;  // whose bytes follow it

    [[nodiscard]] std::uint64_t size() const;
    void write(OutputFile& file) const;
};
SafetensorsBytes safetensors_bytes(const TensorsByName& tensors,
                                   const std::map<std::string, std::string>& metadata);

// Bytes of a header, as the format's own reader has it.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

// What a file holds. Nothing in it is trusted.
struct Safetensors {
    TensorsByName tensors;  // in the order of their bytes; CPU memory of their own
    std::map<std::string, std::string> metadata;
};

// Throws RunError with kDataError, which names the file and what is wrong with it.
Safetensors read_safetensors(const std::filesystem::path& path);

// From the next `size` bytes of an open file, whose path is for messages.
Safetensors read_safetensors(std::istream& in, std::uint64_t size,
                             const std::filesystem::path& path);

}  // namespace ptp::engine

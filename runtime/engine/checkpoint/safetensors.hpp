// Tensors in a safetensors file: a header in JSON, then the bytes; and files of weights in any
// known form. Reading one runs no code.

#pragma once

#include "base/output_file.hpp"
#include "engine/checkpoint/mapped_file.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/pretrained/torch_file.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// A type by its name in such a file.
struct SafetensorsType {
    std::string_view name;
    at::ScalarType type;
};

inline constexpr std::array<SafetensorsType, 10> kSafetensorsTypes = {{
    {"F64", at::kDouble},
    {"F32", at::kFloat},
    {"F16", at::kHalf},
    {"BF16", at::kBFloat16},
    {"I64", at::kLong},
    {"I32", at::kInt},
    {"I16", at::kShort},
    {"I8", at::kChar},
    {"U8", at::kByte},
    {"BOOL", at::kBool},
}};

// The alignment of libtorch's own tensors, and in a file of those that can be used where they are.
inline constexpr std::uint64_t kTensorAlignment = 64;

// Writes a new file and syncs it to the disk. The tensors' bytes are unchanged; the same tensors
// produce the same file. Names are unique. Throws RunError with kTrainingError.
void write_safetensors(const std::filesystem::path& path, const TensorsByName& tensors,
                       const std::map<std::string, std::string>& metadata);

// The bytes of such a file: for a file with additional content. The data begins at a multiple of 8
// bytes, with the tensors in their order. Of more than 64 MiB, which are mapped, it begins at a
// multiple of kTensorAlignment, with the tensors first that fill whole blocks of it: so these are
// aligned.
struct SafetensorsBytes {
    std::string header;               // includes its length at the beginning
    std::vector<at::Tensor> tensors;  // their bytes follow the header

    [[nodiscard]] std::uint64_t size() const;
    void write(OutputFile& file) const;
};
SafetensorsBytes safetensors_bytes(const TensorsByName& tensors,
                                   const std::map<std::string, std::string>& metadata);

// The maximum bytes of a header, as in the format's own reader.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

// The content of a file. Nothing in it is trusted.
struct Safetensors {
    // In the order of their bytes; in CPU memory of their own, or of a mapped file: changing one
    // changes no file.
    TensorsByName tensors;
    std::map<std::string, std::string> metadata;
    std::shared_ptr<const MappedFile> mapped;  // whose memory the tensors have; nullptr: their own
};

// The files whose tensors are mapped into memory where they lie, if they have more than 64 MiB.
enum class Mapped { kBundles, kAll };

// Throws RunError with kDataError, which names the file and the error.
Safetensors read_safetensors(const std::filesystem::path& path, Mapped mapped = Mapped::kBundles);

// Reads the next `size` bytes of an open file, whose path is for messages.
Safetensors read_safetensors(std::istream& in, std::uint64_t size,
                             const std::filesystem::path& path);

// Reads a safetensors file, or a file of torch.save(): a zip archive, or the form before PyTorch
// 1.6. Nothing in it is trusted, and no code in it is run. Throws RunError with kDataError, which
// names the file, the error and the fix.
SavedWeights read_weights(const std::filesystem::path& path);

}  // namespace ptp::engine

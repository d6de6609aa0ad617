// The files of attention: its numbers, and pictures of those over an image.

#pragma once

#include "engine/explain/attention.hpp"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>

namespace ptp::engine {

// Writes the weights of a sample into the folder, [heads, rows, columns], and for weights of places
// a picture over the image, if there is one: of each head or row, and where places attend to places
// the mean over heads, of the token before them or else of all rows. Returns its facts. Throws
// RunError.
nlohmann::ordered_json written_attention(const std::filesystem::path& folder, std::int64_t index,
                                         const AttentionMap& map, const at::Tensor& image);

}  // namespace ptp::engine

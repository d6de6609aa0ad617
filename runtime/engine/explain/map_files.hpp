// The files of a map and of attention: numbers for NumPy, and pictures of these over the image.

#pragma once

#include "engine/explain/attention.hpp"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>

namespace ptp::engine {

// Writes a float32 tensor in the format of numpy.save(). Throws RunError.
void write_npy(const std::filesystem::path& path, const at::Tensor& tensor);

// Writes an image [C, H, W] as a PNG file, scaled from its smallest value to its largest, in colors
// if it has three channels. Small ones are enlarged. Throws RunError.
void write_image(const std::filesystem::path& path, const at::Tensor& image);

// Writes a map [H, W] over the image in gray: orange where it is positive, violet where it is
// negative, the stronger the farther from 0; full from the 99th percentile of the magnitudes on.
void write_heat(const std::filesystem::path& path, const at::Tensor& image, const at::Tensor& heat);

// Writes the weights of a sample into the folder, [heads, rows, columns], and for weights of places
// a picture over the image, if there is one: of each head or row, and where places attend to places
// the mean over heads, of the token before them or else of all rows. Returns its facts. Throws
// RunError.
nlohmann::ordered_json written_attention(const std::filesystem::path& folder, std::int64_t index,
                                         const AttentionMap& map, const at::Tensor& image);

}  // namespace ptp::engine

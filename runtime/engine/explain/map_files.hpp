// The files of a map: its numbers for NumPy, and a picture of it over the image.

#pragma once

#include <ATen/core/Tensor.h>

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

}  // namespace ptp::engine

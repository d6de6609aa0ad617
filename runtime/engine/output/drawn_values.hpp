// Pictures of tensors for TensorBoard: histograms, and images as PNG files
// (https://www.w3.org/TR/png).

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

struct Histogram {
    double minimum = 0;
    double maximum = 0;
    double count = 0;
    double sum = 0;
    double squares = 0;  // sum of squares
    // The upper limits: bucket i has the numbers from limits[i - 1], or minus infinity, to below
    // limits[i]. Adjacent empty buckets are merged.
    std::vector<double> limits;
    std::vector<double> counts;
};

// Returns the histogram of the finite values of a floating-point tensor. The limits are
// TensorFlow's: 1e-12 * 1.1^k on both sides of 0.
Histogram histogram_of(const at::Tensor& tensor);

struct Png {
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;
    std::string bytes;
};

// Encodes [channels, height, width] with 1 or 3 channels. Bytes stay unchanged, reals range from 0
// to 1; an image with other reals is scaled from its minimum to its maximum.
Png png_of(const at::Tensor& image);

}  // namespace ptp::engine

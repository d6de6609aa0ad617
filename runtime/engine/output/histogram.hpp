// The distribution of a tensor's values, in the buckets that TensorBoard draws.

#pragma once

#include <ATen/core/Tensor.h>

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

}  // namespace ptp::engine

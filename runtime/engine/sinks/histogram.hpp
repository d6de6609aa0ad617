// How the numbers of a tensor are spread, in the buckets that TensorBoard draws.

#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ptp::engine {

struct Histogram {
    double minimum = 0;
    double maximum = 0;
    double count = 0;
    double sum = 0;
    double squares = 0;  // their sum
    // Bucket i holds the numbers from limits[i - 1], or minus infinity, to below limits[i]. Runs of
    // empty buckets are one.
    std::vector<double> limits;
    std::vector<double> counts;
};

// Over the finite numbers of a tensor of any floating type. The limits are the same as
// TensorFlow's: 1e-12 * 1.1^k on both sides of 0.
Histogram histogram_of(const at::Tensor& tensor);

}  // namespace ptp::engine

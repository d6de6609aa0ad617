// A tensor in a few numbers, such as its norm. Sums are in double, of blocks of numbers in their
// own type.

#pragma once

#include <ATen/core/Tensor.h>

#include <limits>

namespace ptp::engine {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// A tensor in four numbers; nan for one without elements.
struct TensorSummary {
    double mean = kNoNumber;
    double deviation = kNoNumber;  // of a sample, with n - 1; 0 for one number
    double zeros = kNoNumber;      // the share of numbers that are 0
    double norm = kNoNumber;       // the root of the sum of squares
};

TensorSummary summary_of(const at::Tensor& tensor);

// Returns the L2 norm alone.
double norm_of_tensor(const at::Tensor& tensor);

}  // namespace ptp::engine

// The common term of both focal losses.
#pragma once

#include <ATen/core/Tensor.h>

namespace losses {

// Returns (1 - p)^gamma for `missing` = 1 - p. Its gradient is finite at p = 1 for all gammas of 0
// or more.
inline at::Tensor focus(const at::Tensor& missing, double gamma) {
    constexpr double kSmallest = 1e-30;  // floats as near to 1 as can be differ from it by 6e-8
    return missing.clamp_min(kSmallest).pow(gamma);
}

}  // namespace losses

// Attention scores, with masks for the positions that are not attended to.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

namespace ptp::support {

// The scores, floats if they were of a smaller type, with a very low one where `is_out` is true, so
// that the softmax over them is 0 there (and even over a row where all are left out). It is not
// infinity, which leads to nan, and is beyond what 16 bits hold.
inline at::Tensor with_left_out(const at::Tensor& scores, const at::Tensor& is_out) {
    constexpr double kLowest = -1e30;
    return scores.to(c10::promoteTypes(scores.scalar_type(), at::kFloat))
        .masked_fill(is_out, kLowest);
}

}  // namespace ptp::support

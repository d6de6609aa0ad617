// Masks attention scores, so that a softmax over them ignores some positions.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

namespace ptp::support {

// Returns the scores, at least as floats, with a very low one where `is_out` is true, so that the
// softmax over them is 0 there (and uniform over a row where all are excluded). Infinity would lead
// to nan, and 16 bits could not represent the value.
inline at::Tensor with_left_out(const at::Tensor& scores, const at::Tensor& is_out) {
    constexpr double kLowest = -1e30;
    return scores.to(c10::promoteTypes(scores.scalar_type(), at::kFloat))
        .masked_fill(is_out, kLowest);
}

}  // namespace ptp::support

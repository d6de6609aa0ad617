// Tensors behind which no memory can be read: a component that takes an input for larger than it is
// crashes there, where it would otherwise compute with what happens to follow.

#pragma once

#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

namespace ptp::engine {

// A copy of a tensor on the CPU, row-major, whose last byte is the last one of a page. The next
// page cannot be read. The tensor itself where the system has no memory for it.
[[nodiscard]] at::Tensor guarded_copy(const at::Tensor& tensor);

// Replaces the tensors that the node reads.
void guard_inputs(const pipeline::Node& node, Frame& frame);

}  // namespace ptp::engine

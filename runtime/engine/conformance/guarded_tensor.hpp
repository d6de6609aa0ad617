// Where the inputs of a component that is tried lie in memory.

#pragma once

#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ptp::engine {

enum class InputMemory : std::uint8_t {
    kPlain,    // row-major
    kGuarded,  // behind an input no memory can be read: a component that takes it for larger than
               // it is crashes there, where it would compute with what happens to follow
    kStrided   // its elements do not lie side by side, as after a cut or a transposition
};

// A copy of a tensor on the CPU, row-major, whose last byte is the last one of a page. The next
// page cannot be read. The tensor itself where the system has no memory for it.
[[nodiscard]] at::Tensor guarded_copy(const at::Tensor& tensor);

// Replaces the tensors that the node reads by equal ones.
void change_memory(const pipeline::Node& node, InputMemory memory, Frame& frame);

}  // namespace ptp::engine

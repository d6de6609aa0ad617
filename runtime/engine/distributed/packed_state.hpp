// The form of tensors, and of a saved state, that is sent to another process of the same build.

#pragma once

#include "engine/component/saved_state.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace ptp::engine {

// Pack tensors, some of which may be undefined, as the bytes of one, and unpack them in the CPU's
// memory. Unpacking throws RunError (kDataError) for anything that packing has not returned.
at::Tensor packed_tensors(const std::vector<at::Tensor>& tensors);
std::vector<at::Tensor> unpacked_tensors(const at::Tensor& packed);

// Pack and unpack a state in the same way.
std::string packed_state(const SavedState& state);
SavedState unpacked_state(const std::string& packed);

}  // namespace ptp::engine

// Saved tensors that belong to parameters, one to one.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/optimizer/gradients.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

enum class Absent { kIsRefused, kIsUndefined };

// Returns copies, on the parameters' devices, of the tensors saved under the parameters' names.
// Everything that does not fit is reported at once; `what` begins the message. Throws RunError with
// kDataError.
std::vector<at::Tensor> tensors_for(const std::vector<NamedParameter>& parameters,
                                    const TensorsByName& saved, const std::string& what,
                                    Absent absent = Absent::kIsRefused);

// Returns those named "<part>/...", without this prefix.
TensorsByName tensors_below(const TensorsByName& tensors, const std::string& part);

// Returns "Float [4, 3]".
std::string shape_text(at::ScalarType type, at::IntArrayRef sizes);
std::string shape_text(const at::Tensor& tensor);

}  // namespace ptp::engine

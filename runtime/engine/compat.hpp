// What differs between the versions of libtorch that the engine is built with. The only place for
// an #if on the version.

#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Optional.h>
#include <c10/util/string_utils.h>
#include <torch/version.h>

namespace ptp::engine::compat {

template <class T>
using Optional = c10::optional<T>;

// Under which torch::optim::Optimizer::state() keeps what belongs to a parameter.
inline auto state_key(const at::Tensor& parameter) {
#if TORCH_VERSION_MAJOR >= 2
    return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
    return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

}  // namespace ptp::engine::compat

// Creates tensors from the values of a case file.
#pragma once

#include "ptp-cases/tensor_spec.hpp"

#include <ptp/testing/slot.hpp>

#include <ATen/core/Tensor.h>

namespace ptp::cases {

// Creates a tensor. `shape` is used if the file has no shape, and as many numbers in one row;
// without it, a formula needs a shape. Reals are float64 unless a dtype is given. Throws
// std::runtime_error with the place.
at::Tensor tensor_of(const TensorSpec& spec, at::OptionalIntArrayRef shape = at::nullopt);

// Creates the value of a stream, where literal reals are float32 unless a dtype is given.
testing::Slot slot_of(const StreamSpec& spec);

// Returns PyTorch's name of a dtype, such as "float32".
std::string dtype_name(at::ScalarType type);

}  // namespace ptp::cases

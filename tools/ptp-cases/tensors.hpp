// Tensors from what a case file writes for them.
#pragma once

#include "ptp-cases/tensor_spec.hpp"

#include <ptp/testing/slot.hpp>

#include <ATen/core/Tensor.h>

namespace ptp::cases {

// `shape` is taken where the file has none, and where it has as many numbers in one row; without
// one, a formula needs its own. Reals are float64 unless a dtype is written. Throws
// std::runtime_error, with the place.
at::Tensor tensor_of(const TensorSpec& spec, at::OptionalIntArrayRef shape = at::nullopt);

// The same for a stream, where literal reals are float32 unless a dtype is written.
testing::Slot slot_of(const StreamSpec& spec);

// "float32"; that of a tensor as PyTorch names it.
std::string dtype_name(at::ScalarType type);

}  // namespace ptp::cases

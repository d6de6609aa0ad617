// Finds the first difference between the output of a component and the expectation of a case, as
// one line; and creates the tensors that a case describes.
#pragma once

#include "ptp-cases/case_file.hpp"

#include <ptp/data.hpp>
#include <ptp/testing/slot.hpp>

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>

namespace ptp::cases {

using Difference = std::optional<std::string>;  // nullopt if there is none

// Compares shape, type and all elements; nan equals nan. If the file has no dtype, floats of any
// size are equal types.
Difference difference(const std::string& name, const testing::Slot& found,
                      const StreamSpec& expected, const Tolerance& tolerance);

// Compares all numbers by name. A nan must be positive, because "-nan" would be printed.
Difference difference(const std::string& name, const std::map<std::string, double>& found,
                      const Map<double>& expected, const Tolerance& tolerance);

Difference difference(const std::string& name, at::IntArrayRef found, const Shape& expected);
Difference difference(const std::string& name, const Strings& found, const Strings& expected);

// Compares bitwise.
Difference difference(const std::string& name, const at::Tensor& found, const at::Tensor& expected);

// Creates a tensor. `shape` is used if the file has no shape, and as many numbers in one row;
// without it, a formula needs a shape. Reals are float64 unless a dtype is given. Throws
// std::runtime_error with the place.
at::Tensor tensor_of(const TensorSpec& spec, at::OptionalIntArrayRef shape = at::nullopt);

// Creates the value of a stream, where literal reals are float32 unless a dtype is given.
testing::Slot slot_of(const StreamSpec& spec);

// Returns PyTorch's name of a dtype, such as "float32".
std::string dtype_name(at::ScalarType type);

}  // namespace ptp::cases

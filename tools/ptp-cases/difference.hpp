// Finds the first difference between the output of a component and the expectation of a case, as
// one line.
#pragma once

#include "ptp-cases/case_file.hpp"

#include <ptp/data.hpp>
#include <ptp/testing/slot.hpp>

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>

namespace ptp::cases {

// The text of a difference; nullopt if there is none.
using Difference = std::optional<std::string>;

// Compares shape, type and all elements; nan equals nan. If the file has no dtype, floats of any
// size are equal types.
Difference difference(const std::string& name, const at::Tensor& found, const TensorSpec& expected,
                      const Tolerance& tolerance);
Difference difference(const std::string& name, const testing::Slot& found,
                      const StreamSpec& expected, const Tolerance& tolerance);

// Compares all numbers by name. A nan must be positive, because "-nan" would be printed.
Difference difference(const std::string& name, const std::map<std::string, double>& found,
                      const Map<double>& expected, const Tolerance& tolerance);

Difference difference(const std::string& name, at::IntArrayRef found, const Shape& expected);
Difference difference(const std::string& name, const std::vector<std::string>& found,
                      const std::vector<std::string>& expected);

// Compares bitwise.
Difference difference(const std::string& name, const at::Tensor& found, const at::Tensor& expected);

}  // namespace ptp::cases

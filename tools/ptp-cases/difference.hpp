// The first difference between what a component made and what a case expects, as one line.
#pragma once

#include "ptp-cases/case_file.hpp"

#include <ptp/data.hpp>
#include <ptp/testing/slot.hpp>

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>

namespace ptp::cases {

// nullopt: no difference.
using Difference = std::optional<std::string>;

// Shape, kind of numbers and all elements; nan equals nan. Where the file has no dtype, floats of
// any size are floats.
Difference difference(const std::string& name, const at::Tensor& found, const TensorSpec& expected,
                      const Tolerance& tolerance);
Difference difference(const std::string& name, const testing::Slot& found,
                      const StreamSpec& expected, const Tolerance& tolerance);

// All names must be the same; a nan must be a positive one, because "-nan" would be printed.
Difference difference(const std::string& name, const std::map<std::string, double>& found,
                      const Map<double>& expected, const Tolerance& tolerance);

Difference difference(const std::string& name, at::IntArrayRef found, const Shape& expected);
Difference difference(const std::string& name, const std::vector<std::string>& found,
                      const std::vector<std::string>& expected);

// To the last bit.
Difference difference(const std::string& name, const at::Tensor& found, const at::Tensor& expected);

}  // namespace ptp::cases

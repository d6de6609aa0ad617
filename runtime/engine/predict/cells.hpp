// Values of tensors as cells of a table.

#pragma once

#include "engine/predict/prediction_file.hpp"

#include <ATen/core/Tensor.h>

namespace ptp::engine {

// Returns the number, or the texts "nan", "inf" and "-inf", which JSON does not have as numbers.
Cell real_cell(double value);

// Converts a tensor with one value. A float32 has no more digits than needed to restore its bits.
Cell number_cell(const at::Tensor& tensor);

// Returns a number, a list of numbers, or lists of these.
Cell tensor_cell(const at::Tensor& tensor);

}  // namespace ptp::engine

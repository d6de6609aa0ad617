// Values of tensors as cells of a table.

#pragma once

#include "engine/predict/prediction_file.hpp"

#include <ATen/core/Tensor.h>

namespace ptp::engine {

// The number, or the texts "nan", "inf" and "-inf", which JSON has no numbers for.
Cell real_cell(double value);

// A tensor with one value. One of float32 has no more digits than bring back its bits.
Cell number_cell(const at::Tensor& tensor);

// A number, a list of numbers, lists of these.
Cell tensor_cell(const at::Tensor& tensor);

}  // namespace ptp::engine

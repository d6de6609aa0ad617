// The tables of operations of libtorch that ONNX has too, or that consist of its operators.

#pragma once

#include "ptp-export/translation.hpp"

#include <span>

namespace ptp::onnx {

std::span<const Row> layer_rows();      // convolutions, pooling, norms, products of matrices
std::span<const Row> shape_rows();      // views, parts and joints of tensors
std::span<const Row> number_rows();     // one number from each, or from each pair
std::span<const Row> array_rows();      // sums over dimensions, new tensors, choices by index
std::span<const Row> written_rows();    // components that write themselves
std::span<const Row> recurrent_rows();  // LSTM, GRU and plain recurrent networks

}  // namespace ptp::onnx

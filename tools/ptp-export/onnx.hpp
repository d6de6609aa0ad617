// Writes a traced graph as ONNX.

#pragma once

#include "ptp-export/translation.hpp"

#include <string>
#include <vector>

namespace ptp::onnx {

// Adds the operators, weights, inputs and outputs of the graph, whose data must outlive the file.
// Throws RunError for what ONNX lacks or defines otherwise: the component, the operation and why.
void translate(const ForwardGraph& graph, OnnxFile& file);

// All operations that can be written, sorted by name.
std::vector<std::string> known_operations();

}  // namespace ptp::onnx

// A component that writes its operators of ONNX itself (ptp.onnx/1).

#pragma once

#include "engine/component/instance.hpp"
#include "engine/export_request.hpp"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace ptp::engine {

struct WrittenComponent {
    std::vector<WrittenOperator> operators = {};
    std::map<std::string, std::string> inputs = {};    // port -> name of the value
    std::map<std::string, std::string> weights = {};   // name of the tensor -> name of the value
    std::map<std::string, at::Tensor> constants = {};  // name of the value -> its own tensor
    std::map<std::string, std::string> outputs = {};   // port -> name of the value
};

// Has a component write itself. Throws RunError for a mistake of it: an unknown port, tensor or
// value, or an output that it has not written. REQUIRES: instance.writes_onnx().
WrittenComponent write_component(Instance& instance);

}  // namespace ptp::engine

#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace ptp::engine {

struct NamedParameter {
    std::string name;  // "<component>.<parameter>"
    at::Tensor tensor;
};

}  // namespace ptp::engine

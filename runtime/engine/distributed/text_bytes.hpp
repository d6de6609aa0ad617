// A text as processes send it: a tensor of its bytes.

#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace ptp::engine {

// [bytes of the text], on the CPU.
at::Tensor text_bytes(const std::string& text);

std::string text_from(const at::Tensor& bytes);

}  // namespace ptp::engine

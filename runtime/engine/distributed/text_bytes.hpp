// Texts in the form in which processes send them: tensors of bytes.

#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace ptp::engine {

// Returns a CPU tensor [bytes of the text].
at::Tensor text_bytes(const std::string& text);

std::string text_from(const at::Tensor& bytes);

}  // namespace ptp::engine

// Operations on gradients between the backward pass and the optimizer's step. Only are_finite()
// waits for the device, once. [main]

#pragma once

#include "engine/optimizer/named_parameter.hpp"
#include "experiment/optimization.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace ptp::engine {

// Returns the gradients of the parameters that have one.
std::vector<at::Tensor> gradients_of(const std::vector<NamedParameter>& parameters);

bool are_finite(const std::vector<at::Tensor>& gradients);

// By value: limits every element to plus or minus the limit. By norm: scales all by the same
// factor, so that the Euclidean norm of all elements together is at most the limit (as PyTorch's
// clip_grad_norm_).
void clip(const std::vector<at::Tensor>& gradients, const experiment::GradientClipping& clipping);

}  // namespace ptp::engine

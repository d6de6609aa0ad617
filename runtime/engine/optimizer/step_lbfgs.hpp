#pragma once

#include "engine/optimizer/optimizer.hpp"

namespace ptp::engine {

// Makes a step of torch::optim::LBFGS from this state, which it changes.
void step_with_closure(const optimizer::Lbfgs& options,
                       const std::vector<NamedParameter>& parameters,
                       optimizer::Lbfgs::State<at::Tensor>& state,
                       const Optimizer::Closure& closure);

}  // namespace ptp::engine

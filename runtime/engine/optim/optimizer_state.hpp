// Saves and restores an optimizer of libtorch by the names of its parameters. libtorch's own
// archives are not used: those of 1.13 lose the options, and address parameters by position.
//
// The record:   type = "Adam"
//               groups = [{ name = "", lr = 0.001, ... }]        the options as they are by now
//               parameters."net.0.weight" = { step = 3, tensors = ["exp_avg", "exp_avg_sq"] }
// The tensors:  "net.0.weight/exp_avg", ...
//
// A parameter that has never been given a gradient has an entry without numbers and tensors.

#pragma once

#include "engine/component/saved_state.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace torch::optim {
class Optimizer;
}

namespace ptp::engine {

struct NamedParameter {
    std::string name;  // "<component>.<parameter>"
    at::Tensor tensor;
};

// An optimizer and what it does not know of itself.
struct OptimizerView {
    std::string type;  // "Adam"
    torch::optim::Optimizer& optimizer;
    const std::vector<std::string>& groups;         // a name for each of its groups
    const std::vector<NamedParameter>& parameters;  // of all groups
};

// The tensors are copies. [main]
SavedState save_optimizer(const OptimizerView& view);

// The state must be that of an optimizer of the same type, with the same groups and parameters. All
// that differs is said at once, and then nothing is changed. Throws RunError with kDataError.
void restore_optimizer(const OptimizerView& view, const SavedState& saved);

}  // namespace ptp::engine

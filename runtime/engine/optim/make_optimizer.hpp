// Makes an optimizer of libtorch from what the experiment says.

#pragma once

#include "engine/optim/optimizer_state.hpp"
#include "experiment/optimization.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// Parameters that share their options.
struct ParameterGroup {
    std::string name;               // of the component; "" for those without options of their own
    experiment::Optimizer options;  // the type is the same in all groups
    std::vector<NamedParameter> parameters;
};

// REQUIRES: at least one group; for LBFGS, exactly one. Throws RunError for a type that is unknown.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(const std::vector<ParameterGroup>& groups);

}  // namespace ptp::engine

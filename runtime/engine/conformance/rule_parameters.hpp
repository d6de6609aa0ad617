// Checks whether the parameters and buffers of a component are always the same, and trained.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Compares them in two calls, of two instances, and after a step.
RuleResult check_parameter_order(const RuleContext& context);

// Checks the gradients of a random sum of all outputs.
RuleResult check_gradients(const RuleContext& context);

// Compares the exports of an instance that has imported another one's exports.
RuleResult check_state_round_trip(const RuleContext& context);

}  // namespace ptp::engine

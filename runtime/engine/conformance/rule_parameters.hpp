// The parameters and buffers of a component: always the same, and trained.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Asked for twice, of two instances, and after a step.
RuleResult check_parameter_order(const RuleContext& context);

// The gradients of a random sum of all outputs.
RuleResult check_gradients(const RuleContext& context);

// What an instance exports after it has imported what another has exported.
RuleResult check_state_round_trip(const RuleContext& context);

}  // namespace ptp::engine

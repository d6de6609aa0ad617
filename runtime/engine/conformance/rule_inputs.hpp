// What a component does to its inputs, and what inputs that are not as declared do to it.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// One input at a time: of one column less or more, of one dimension less, of another type.
RuleResult check_wrong_shapes(const RuleContext& context);

// All inputs at once, in evaluation: outputs and statistics are those of inputs that are row-major,
// but for the rounding, which may differ where libtorch computes on the memory of another order.
RuleResult check_strided_inputs(const RuleContext& context);

// All inputs, in training and in evaluation.
RuleResult check_inputs_unchanged(const RuleContext& context);

}  // namespace ptp::engine

// Checks whether a component continues after an interruption as if there had been none: its state
// must be in its tensors, in its exports or in the random generator of the host.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Runs it once over all steps, and once with an interruption, after which another instance
// continues.
RuleResult check_interruption(const RuleContext& context);

// Runs it twice from one seed, with different content of newly allocated memory.
RuleResult check_determinism(const RuleContext& context);

}  // namespace ptp::engine

// Whether a component continues after an interruption as if there had been none: what it keeps from
// step to step must be in its tensors, in what it exports or in the random generator of the host.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Runs it once over all steps, and once with an interruption, where another instance takes over.
RuleResult check_interruption(const RuleContext& context);

// Runs it twice from one seed, with other content of the memory that is allocated.
RuleResult check_determinism(const RuleContext& context);

}  // namespace ptp::engine

// Whether a component runs with, or refuses by a message, what its declaration allows.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Each value at a limit in turn, with all others as they are, within the memory that a component
// may take here.
RuleResult check_setting_limits(const RuleContext& context);

}  // namespace ptp::engine

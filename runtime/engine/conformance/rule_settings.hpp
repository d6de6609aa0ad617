// Checks whether a component runs with everything that its declaration allows, or refuses it.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Tries each value at a limit, with all others unchanged, within the memory that a component may
// use here.
RuleResult check_setting_limits(const RuleContext& context);

}  // namespace ptp::engine

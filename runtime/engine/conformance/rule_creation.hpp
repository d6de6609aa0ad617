// Whether a component can be created as often as a run asks for, and with what it has by default.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// After another instance was destroyed, and beside one that is destroyed meanwhile.
RuleResult check_created_twice(const RuleContext& context);

// Where nothing had to be given, create() must have taken the defaults.
RuleResult check_defaults(const RuleContext& context);

}  // namespace ptp::engine

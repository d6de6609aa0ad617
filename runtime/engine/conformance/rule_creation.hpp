// Checks whether a component can be created repeatedly, and with its defaults.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Creates one after another was destroyed, and while another is being destroyed.
RuleResult check_created_twice(const RuleContext& context);

// Checks that create() accepts the defaults if no setting is required.
RuleResult check_defaults(const RuleContext& context);

}  // namespace ptp::engine

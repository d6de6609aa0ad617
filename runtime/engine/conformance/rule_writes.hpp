// Whether a component writes to the run's folder only.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// From its creation to its end. The current folder is an empty one meanwhile.
RuleResult check_writes(const RuleContext& context);

}  // namespace ptp::engine

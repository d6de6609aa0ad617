// Checks whether a component only writes to the run's folder.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Runs it from its creation to its end. Meanwhile, the current folder is an empty one.
RuleResult check_writes(const RuleContext& context);

// Checks whether process-wide state is unchanged after each part of its life.
RuleResult check_process_state(const RuleContext& context);

}  // namespace ptp::engine

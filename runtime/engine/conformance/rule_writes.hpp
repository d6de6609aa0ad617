// Checks whether a component only writes to the run's folder.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Runs it from its creation to its end in an empty current folder, and lists what it leaves there
// and beside the run folder.
RuleResult check_writes(const RuleContext& context);

// Checks whether process-wide state is unchanged after each part of its life.
RuleResult check_process_state(const RuleContext& context);

}  // namespace ptp::engine

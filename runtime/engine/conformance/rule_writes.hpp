// Whether a component writes to the run's folder only.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// From its creation to its end. The current folder is an empty one meanwhile.
RuleResult check_writes(const RuleContext& context);

// Whether anything that belongs to the whole process is as it was, after each part of its life.
RuleResult check_process_state(const RuleContext& context);

}  // namespace ptp::engine

// What a component shares with others without saying it: between threads, and random generators.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// A task that is PTP_TASK_CONCURRENT and a transform of samples, called on two threads: one
// instance by both, and one by each.
RuleResult check_threads(const RuleContext& context);

// Those of the C library, and in fetch() and transform() libtorch's own: only there it is not
// replaced by the component's.
RuleResult check_shared_generators(const RuleContext& context);

}  // namespace ptp::engine

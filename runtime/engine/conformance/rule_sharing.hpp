// Checks for undeclared sharing: between threads, and of random generators.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

// Calls a task that is PTP_TASK_CONCURRENT, or a transform of samples, on two threads: with one
// instance for both, and with one for each.
RuleResult check_threads(const RuleContext& context);

// Checks the generators of the C library, and in fetch() and transform() libtorch's own: only there
// it is not replaced by the component's.
RuleResult check_shared_generators(const RuleContext& context);

}  // namespace ptp::engine

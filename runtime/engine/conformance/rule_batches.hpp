// Checks whether a component accepts batches of any number of samples.

#pragma once

#include "engine/conformance/rule.hpp"

namespace ptp::engine {

RuleResult check_batch_sizes(const RuleContext& context);
RuleResult check_batch_of_one(const RuleContext& context);
RuleResult check_empty_batch(const RuleContext& context);

}  // namespace ptp::engine

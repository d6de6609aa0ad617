// Compares the targets of the first batch with the numbers that predictions can be.

#pragma once

#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <spdlog/logger.h>

namespace ptp::engine {

// [main] Warns of losses whose predictions stay between 0 and 1, such as those of a sigmoid, where
// many of the targets in the frame are beyond: such a training never reaches them.
void warn_of_target_range(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log);

}  // namespace ptp::engine

// The processor: one pass over one or several sections, with existing weights.

#pragma once

#include "engine/request.hpp"

namespace ptp::engine {

// Processes every sample of a section once, in order, in evaluation mode and without gradients.
// Leaves a folder of its own with the statistics and how it ended. Returns kDone, kHungUp,
// kInterrupted or kTerminated; throws RunError. [main], once in a process.
int process(const ProcessRequest& request);

}  // namespace ptp::engine

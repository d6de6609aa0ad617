// The processor: one pass over one section or several, with weights that are there.

#pragma once

#include "engine/request.hpp"

namespace ptp::engine {

// Every sample of a section once, in order, in evaluation and without gradients. Leaves a folder of
// its own with the statistics and how it ended. Returns kDone, kHungUp, kInterrupted or
// kTerminated; throws RunError. [main], once in a process.
int process(const ProcessRequest& request);

}  // namespace ptp::engine

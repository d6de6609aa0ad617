// A whole run, from a checked experiment to its folder.

#pragma once

#include "engine/request.hpp"

namespace ptp::engine {

// Returns kDone, kHungUp, kInterrupted or kTerminated; throws RunError. [main], once in a process.
int run(const RunRequest& request);

}  // namespace ptp::engine

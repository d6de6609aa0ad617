// A whole run, from a checked experiment to its folder.

#pragma once

#include "engine/embedding.hpp"

namespace ptp::engine {

class CallRecorder;

// Returns kDone, kHungUp, kInterrupted or kTerminated; throws RunError. The process is the engine's
// own, whose allocator keeps freed memory, unless a program embeds it. [main], one at a time in a
// process. The recorder, if any, outlives the run.
int run(const RunRequest& request, const Embedding* embedding = nullptr,
        CallRecorder* recorder = nullptr);

}  // namespace ptp::engine

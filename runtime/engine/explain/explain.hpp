// Explanations of predictions for images: maps of the pixels that speak for a class.

#pragma once

#include "engine/explain_request.hpp"

namespace ptp::engine {

// Explains the first samples of the section with each method, in evaluation mode, and writes a
// folder: for each sample its image, for each method its numbers (.npy) and a picture, and
// explanations.json with what was computed, which comes last. Returns kDone, kHungUp, kInterrupted
// or kTerminated; throws RunError. [main], once in a process.
int explain(const ExplainRequest& request);

}  // namespace ptp::engine

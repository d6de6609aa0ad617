// Predictions for the samples of a section, as a table.

#pragma once

#include "engine/request.hpp"

namespace ptp::engine {

// Every sample once, in order, in evaluation and without gradients, in the batches and with the
// bits of an evaluation. The table is there as a whole, or not at all. Returns kDone, kHungUp,
// kInterrupted or kTerminated; throws RunError. [main], once in a process.
int predict(const PredictRequest& request);

}  // namespace ptp::engine

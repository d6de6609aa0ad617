// Predictions for the samples of a section, as a table.

#pragma once

#include "engine/request.hpp"

namespace ptp::engine {

// Predicts for every sample once, in order, in evaluation mode and without gradients, in the
// batches and with the bits of an evaluation. Writes the whole table, or none. Returns kDone,
// kHungUp, kInterrupted or kTerminated; throws RunError. [main], once in a process.
int predict(const PredictRequest& request);

}  // namespace ptp::engine

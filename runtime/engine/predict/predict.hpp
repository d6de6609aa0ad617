// The uses of trained weights: predictions, processing, and streams that a program feeds.

#pragma once

#include "engine/embedding.hpp"
#include "engine/request.hpp"

namespace ptp::engine {

// Predicts for every sample once, in order, in evaluation mode and without gradients, in the
// batches and with the bits of an evaluation. Writes the whole table, or none. Returns kDone,
// kHungUp, kInterrupted or kTerminated; throws RunError. [main], once in a process.
int predict(const PredictRequest& request);

// Processes every sample of a section once, in order, in evaluation mode and without gradients.
// Leaves a folder of its own with the statistics and how it ended. Returns kDone, kHungUp,
// kInterrupted or kTerminated; throws RunError. [main], once in a process.
int process(const ProcessRequest& request);

// Creates the components of the request's plan, with their weights and without its task, lets the
// program use them, and destroys them. The streams of the plan's first section are those that are
// fed. Published globals of the training come from its checkpoint. Throws RunError. [main]
void feed(const FeedRequest& request, const Embedding& embedding);

}  // namespace ptp::engine

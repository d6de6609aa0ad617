// The uses of trained weights: predictions, processing, and streams that a program feeds; and the
// survey of data, which needs no weights.

#pragma once

#include "engine/data_request.hpp"
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

// Reads the samples of sections and measures what their tasks deliver. Creates their tasks, and all
// components if a section's sampler reads their streams; leaves nothing on the disk. A section
// whose task cannot be created, and samples that cannot be read, are part of what was found. Throws
// RunError. [main], once in a process
void survey_data(const DataRequest& request);

}  // namespace ptp::engine

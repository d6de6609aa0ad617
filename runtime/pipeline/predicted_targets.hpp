// Finds what is right about a stream that is predicted: the targets of the task, and class names;
// which streams may be predicted, and what names the samples.

#pragma once

#include "pipeline/plan.hpp"
#include "pipeline/prediction.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Returns whether a loss takes the stream as scores that are not probabilities yet.
bool are_logits(const Plan& plan, int stream);

// Returns the targets in whose place transforms have made these. What passes its inputs through
// where there are no targets is not wired to them any more, and keeps their names.
int task_targets(const Plan& plan, int made);

// Returns whether the task, or a component that runs, writes the stream.
bool is_stream_written(const Plan& plan, int stream);

// Returns the streams of these names, which are written. Reports others.
std::vector<int> streams_named(const Plan& plan, const std::vector<std::string>& names,
                               Diagnostics& problems);

// Returns the texts of the task that transforms have made these targets of; -1 if there are none,
// or these samples lack them.
int texts_behind(const Plan& plan, int targets);

// Returns the streams of the task that name each sample.
std::vector<SampleNames> sample_names(const Plan& plan);

// Returns the global with the names of the classes, which a task without targets does not
// publish.
std::string class_names_of(const Plan& plan);

}  // namespace ptp::pipeline

// The texts that a pipeline makes of what its models write.

#pragma once

#include "pipeline/plan.hpp"

#include <vector>

namespace ptp::pipeline {

// Returns whether the task, or a component that runs, writes the stream. REQUIRES: the plan was
// made to process one section.
bool writes_stream(const Plan& plan, int stream);

// The streams with texts in place of those that cannot be read: for scores of each word of a
// sentence what transforms make of them, or of the words that the model has chosen itself, if there
// is anything. REQUIRES: the same, and models write the streams.
std::vector<int> with_texts(const Plan& plan, const std::vector<int>& streams);

}  // namespace ptp::pipeline

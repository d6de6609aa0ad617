// Finds what is right about a stream that is predicted: the targets of the task, and class names.

#pragma once

#include "pipeline/plan.hpp"

#include <string>

namespace ptp::pipeline {

// Returns whether a loss takes the stream as scores that are not probabilities yet.
bool are_logits(const Plan& plan, int stream);

// Returns the targets in whose place transforms have made these. What passes its inputs through
// where there are no targets is not wired to them any more, and keeps their names.
int task_targets(const Plan& plan, int made);

// Returns the global with the names of the classes, which a task without targets does not
// publish.
std::string class_names_of(const Plan& plan);

}  // namespace ptp::pipeline

// Trained components with inputs from a program, instead of from a task and its data.

#pragma once

#include "engine/embedding.hpp"

namespace ptp::engine {

// Creates the components of the request's plan, with their weights and without its task, lets the
// program use them, and destroys them. The streams of the plan's first section are those that are
// fed. Published globals of the training come from its checkpoint. Throws RunError. [main]
void feed(const FeedRequest& request, const Embedding& embedding);

}  // namespace ptp::engine

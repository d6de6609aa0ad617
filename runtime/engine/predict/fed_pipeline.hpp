// Trained components that a program feeds, in place of a task and its data.

#pragma once

#include "engine/embedding.hpp"

namespace ptp::engine {

// Creates the components of the request's plan, with their weights and without its task, lets the
// program use them, and destroys them. The first section of the plan is the one whose streams are
// fed. What a run has published is known from its checkpoint. Throws RunError. [main]
void feed(const FeedRequest& request, const Embedding& embedding);

}  // namespace ptp::engine

// What a run trains and on what, for a person.

#pragma once

#include "engine/train/session.hpp"
#include "pipeline/plan.hpp"

#include <string>

namespace ptp::engine {

// Each component with its type, its plugin and its tensors; then the totals.
std::string model_summary(const Components& components);

// Each section with its task, its size, and its streams as the first sample has them. Loads that
// sample: throws RunError.
std::string data_summary(Session& session, const pipeline::Plan& plan);

}  // namespace ptp::engine

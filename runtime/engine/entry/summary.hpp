// What a run trains and on what, for a person; `ptprun summary` shows it without training.

#pragma once

#include "engine/request.hpp"
#include "engine/train/session.hpp"
#include "pipeline/plan.hpp"

#include <string>

namespace ptp::engine {

// Each component with its type, its plugin and its tensors; then the totals.
std::string model_summary(const Components& components);

// Each section with its task, its size, and its streams as the first sample has them. Loads that
// sample: throws RunError.
std::string data_summary(Session& session, const pipeline::Plan& plan);

// Both create the components of an experiment and leave nothing on the disk. Throw RunError.
//
// Prints both summaries on the standard output.
void print_summary(const RunRequest& request);
// How many parameters each component has.
pipeline::ParameterCounts count_parameters(const RunRequest& request);

}  // namespace ptp::engine

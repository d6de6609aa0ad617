// Describes for users what a run trains and on which data; `ptprun summary` shows it without
// training.

#pragma once

#include "engine/request.hpp"
#include "engine/train/session.hpp"
#include "pipeline/plan.hpp"

#include <string>

namespace ptp::engine {

// Lists each component with its type, its plugin and its tensors; then the totals.
std::string model_summary(const Components& components);

// Lists each section with its task, its size, and its streams in the first sample. Loads that
// sample: throws RunError.
std::string data_summary(Session& session, const pipeline::Plan& plan);

// Create the components of an experiment and leave nothing on the disk. Throw RunError.
//
// Prints both summaries on the standard output.
void print_summary(const RunRequest& request);
// Fills in the number of parameters of each component, and what is warned of.
void count_parameters(const RunRequest& request, RunResult& result);

}  // namespace ptp::engine

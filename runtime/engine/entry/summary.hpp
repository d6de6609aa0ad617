// Describes for users what a run trains and on which data; `ptprun summary` shows it without
// training.

#pragma once

#include "engine/request.hpp"
#include "engine/train/training_session.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <string>

namespace ptp::engine {

// Returns "float32".
std::string tensor_type_name(const at::Tensor& tensor);

// Lists each component with its type, its plugin, its layers and its tensors; then the totals.
std::string model_summary(const Components& components, const pipeline::Plan& plan);

// Lists each section with its task, its size, and its streams in the first sample. Loads that
// sample: throws RunError.
std::string data_summary(TrainingSession& session, const pipeline::Plan& plan);

// Creates the components of an experiment and leaves nothing on the disk. Fills in the number of
// parameters of each, and what is warned of; prints both summaries on the standard output if that
// is requested. Throws RunError.
void summarize(const SummaryRequest& request, RunResult& result);

}  // namespace ptp::engine

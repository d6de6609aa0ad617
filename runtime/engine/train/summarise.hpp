// `ptprun summary`: what an experiment trains and on what, without training.

#pragma once

#include "engine/request.hpp"

namespace ptp::engine {

// Prints it on the standard output. Leaves nothing on the disk. Throws RunError.
void summarise(const RunRequest& request);

// Creates the components, and says how many parameters each has. Leaves nothing on the disk. Throws RunError.
pipeline::ParameterCounts count_parameters(const RunRequest& request);

}  // namespace ptp::engine

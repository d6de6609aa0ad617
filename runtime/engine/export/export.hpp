// Traces the forward stage of trained components, and shows or writes what was traced.

#pragma once

#include "engine/export_request.hpp"

namespace ptp::engine {

// Computes on the CPU, in evaluation mode. Traces with inputs of several sizes, so that no size of
// the data remains in the graph by chance. Throws RunError. [main], once in a process.
void export_forward(const ExportRequest& request);

}  // namespace ptp::engine

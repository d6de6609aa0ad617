// Looks for components that take the filling of a batch for data: sequences are filled up to the
// longest of their batch, and `lengths` has the end of each one.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/plan.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Warns of what reads the filling although it can leave it out, and of lengths that nothing reads.
// `others` are streams that are read by more than the components of the plan, such as samplers.
void warn_of_filling(const Plan& plan, const std::vector<std::string>& others,
                     Diagnostics& problems);

}  // namespace ptp::pipeline

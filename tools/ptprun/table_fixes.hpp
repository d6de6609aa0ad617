// Fixes of what is in a table or a list of --set: the whole value, as a part of it cannot be typed
// in its place.

#pragma once

#include "base/diagnostics.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

// Returns the sorted problems, of which those in one value of --set have one fix together, at the
// last: "--set 'training.optimizer={ type = "RMSprop", alpha = 0.9 }'" for its `rho`.
std::vector<Problem> with_whole_values(const Diagnostics& problems,
                                       const std::vector<std::string>& overrides);

}  // namespace ptp::ptprun

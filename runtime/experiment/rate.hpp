// Formats rates for people.

#pragma once

#include <string>

namespace ptp::experiment {

// Returns "1,770/s", "250/s", "2.5/s" or "0.25/s".
std::string rate_text(double per_second);

}  // namespace ptp::experiment

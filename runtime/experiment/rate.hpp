// Rates, for people.

#pragma once

#include <string>

namespace ptp::experiment {

// "1,770/s", "250/s", "2.5/s", "0.25/s".
std::string rate_text(double per_second);

}  // namespace ptp::experiment

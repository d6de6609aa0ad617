// Implements `ptp-inspect --check`.
#pragma once

#include "options.hpp"

namespace ptp::inspect {

// Prints a report on each file and returns the exit code.
int run_check(const Options& options);

}  // namespace ptp::inspect

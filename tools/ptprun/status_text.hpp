// Formats the status of a running training for a person.

#pragma once

#include "base/value.hpp"

#include <string>

namespace ptp::ptprun {

// Returns at most ten lines: state and place, time left, loss, learning rates, the last and best
// measurements, memory, exchanged plugins. Missing values are omitted.
std::string status_text(const Value& status);

}  // namespace ptp::ptprun

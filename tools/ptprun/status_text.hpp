// What a running training answers to "how far are you", for a person.

#pragma once

#include "base/value.hpp"

#include <string>

namespace ptp::ptprun {

// At most ten lines: state and place, time left, loss, learning rates, what was measured last and
// best, memory, plugins that were exchanged. What the answer does not have is left out.
std::string status_text(const Value& status);

}  // namespace ptp::ptprun

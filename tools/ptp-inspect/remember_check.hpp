// What of a check is remembered for other commands: that a plugin crashes or hangs.
#pragma once

#include "check.hpp"

#include <string>

namespace ptp::inspect {

// Remembers the worst crash or hang of the report, or that loading the plugin went well. Returns
// why it cannot be written, or "".
std::string remember_check(const PluginReport& report);

}  // namespace ptp::inspect

// Whether a plugin can be loaded, is what its manifest declares, and has the functions that its
// components need: rules 201 to 203.
#pragma once

#include "child.hpp"
#include "plugin/catalog.hpp"

#include <vector>

namespace ptp::inspect {

// Runs the plugin's code, in a child process.
std::vector<RuleFinding> check_loading(const plugin::CatalogEntry& entry, int time_limit_s);

}  // namespace ptp::inspect

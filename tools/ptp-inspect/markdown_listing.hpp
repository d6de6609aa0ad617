// Plugins and components as the reference of the documentation.
#pragma once

#include "selection.hpp"

#include <string>

namespace ptp::inspect {

// A table of all components, then each plugin, by name, with its components in its own order; then
// the components that were asked for alone. Leaves out where the plugins are and how they were
// built: the same on every machine.
std::string markdown_listing(const Selection& selection);

}  // namespace ptp::inspect

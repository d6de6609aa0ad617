// Plugins and components as the reference of the documentation.
#pragma once

#include "selection.hpp"

#include <string>

namespace ptp::inspect {

// Says nothing of where the plugins are and how they were built: the same on every machine.
std::string markdown_listing(const Selection& selection);

}  // namespace ptp::inspect

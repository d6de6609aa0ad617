// Lists plugins and components for the reference documentation.
#pragma once

#include "selection.hpp"

#include <string>

namespace ptp::inspect {

// Lists all components in a table, then each plugin by name, with its components in its own order;
// then the components that were requested separately. Omits where the plugins are and how they were
// built, so that the output is the same on every machine.
std::string markdown_listing(const Selection& selection);

}  // namespace ptp::inspect

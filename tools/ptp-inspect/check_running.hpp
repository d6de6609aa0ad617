// Checks whether components match their declarations when they run: the rules from 204 on.
#pragma once

#include "child.hpp"
#include "plugin/catalog.hpp"

#include <vector>

namespace ptp::inspect {

// Returns the findings of these rules for each component. A component that cannot be run on
// generated values is skipped; rule 204 has the reason. REQUIRES: the engine is open.
std::vector<RuleFinding> check_running(const plugin::CatalogEntry& entry,
                                       const CheckOptions& options, const Engine& engine);

}  // namespace ptp::inspect

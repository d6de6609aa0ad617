// Whether components are what they declare when they run: the rules from 204 on.
#pragma once

#include "child.hpp"
#include "plugin/catalog.hpp"

#include <vector>

namespace ptp::inspect {

// Of each of these rules and each component. A component that cannot be run on made-up values is
// skipped, by rule 204 with the reason. REQUIRES: the engine is open.
std::vector<RuleFinding> check_running(const plugin::CatalogEntry& entry,
                                       const CheckOptions& options, const Engine& engine);

}  // namespace ptp::inspect

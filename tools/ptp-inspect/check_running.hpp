// Whether components are what they declare when they run, and continue after an interruption as if
// there had been none.
#pragma once

#include "check.hpp"
#include "plugin/catalog.hpp"

#include <vector>

namespace ptp::inspect {

// A verdict for each of the two. A component that cannot be run on made-up values is a note.
std::vector<Verdict> check_running(const plugin::CatalogEntry& entry, const CheckOptions& options,
                                   Engine& engine);

}  // namespace ptp::inspect

// Whether components go on after an interruption as if there had been none. Runs them, in the engine.
#pragma once

#include "check.hpp"
#include "plugin/catalog.hpp"

namespace ptp::inspect {

// The time limit is for each component. One that cannot be run on made-up values is a note.
Verdict check_interruptions(const plugin::CatalogEntry& entry, int time_limit_s);

}  // namespace ptp::inspect

// Saves the gradient sums of several processes for an optimizer step that is not due yet in one
// checkpoint.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/distributed/collective.hpp"

#include <cstdint>

namespace ptp::engine {

// `own` is the result of GradientSums::save(). In the first process the sums of the others are
// added to it as "ranks/1", "ranks/2", ...; all processes call it. Throws RunError.
SavedState gathered_sums(Collective& collective, SavedState own);

// Returns the sums with which this process continues: its own, if the same number of processes
// saved them; otherwise the first one gets the sums of all, and the others start with none. Throws
// RunError with kDataError for anything that gathered_sums() has not made.
SavedState sums_of_rank(const SavedState& saved, std::uint64_t rank, std::uint64_t size);

}  // namespace ptp::engine

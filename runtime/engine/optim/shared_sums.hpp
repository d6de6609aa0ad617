// The sums of gradients that several processes have of an optimizer step that is not due yet, in
// one checkpoint.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/distributed/group.hpp"

#include <cstdint>

namespace ptp::engine {

// `own` is what GradientSums::save() returns. In the first process the sums of the others are added
// to it as "ranks/1", "ranks/2", ...; all processes call it. Throws RunError.
SavedState gathered_sums(Group& group, SavedState own);

// What this process continues with: its own sums, if as many processes saved them; else the first
// one continues with the sums of all, and the others have added nothing. Throws RunError with
// kDataError for what gathered_sums() has not made.
SavedState sums_of_rank(const SavedState& saved, std::uint64_t rank, std::uint64_t size);

}  // namespace ptp::engine

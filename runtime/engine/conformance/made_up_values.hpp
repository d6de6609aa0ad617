// Values for the streams that a component reads.

#pragma once

#include "engine/stream/slot.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>

namespace ptp::engine {

enum class MadeUpReals { kLogProbabilities, kUnitInterval };

inline constexpr std::int64_t kMadeUpBatch = 4;  // samples

// Fills the slot of the stream that the input reads, from libtorch's generator.
void make_up(const pipeline::Plan& plan, const pipeline::Binding& input, MadeUpReals reals,
             Slot& slot);

}  // namespace ptp::engine

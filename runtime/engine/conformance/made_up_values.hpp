// Values for the streams that a component reads.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/conformance/lone_pipeline.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>

namespace ptp::engine {

enum class MadeUpReals { kLogProbabilities, kUnitInterval };

struct InputOptions {
    Guess guess;
    MadeUpReals reals = MadeUpReals::kLogProbabilities;
    std::int64_t batch_size = kMadeUpBatch;
};

// Fills the slots of all streams that the node reads, from libtorch's generator. If it reads a list
// of boolean streams, such as masks, exactly one of them is true for each sample. The plan is the
// pipeline's, with the sizes that have become known since.
void make_up_inputs(const pipeline::Plan& plan, const pipeline::Node& node,
                    const InputOptions& options, Frame& frame);

}  // namespace ptp::engine

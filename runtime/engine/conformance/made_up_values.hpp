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

// Fills the slots of all streams that the node reads, from libtorch's generator. Where it reads a
// list of streams of truth values, such as masks, one of them is true for each sample. The plan is
// the pipeline's, with what has become known since.
void make_up_inputs(const pipeline::Plan& plan, const pipeline::Node& node,
                    const InputOptions& options, Frame& frame);

}  // namespace ptp::engine

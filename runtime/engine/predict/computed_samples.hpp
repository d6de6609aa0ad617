// A batch of samples, computed by itself in an evaluated pipeline: to store what comes of it in a
// bundle, and to compare it where the bundle is used.

#pragma once

#include "engine/predict/evaluated.hpp"
#include "engine/predict/stored_values.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

// Samples of a section, which are computed as one batch.
struct SampleBatch {
    std::string section;
    std::uint64_t count = 0;
    ValuesByStream inputs = {};
};

// Computes these outputs of the batch, and no others: a component that writes a file does not run.
// Outputs that cannot be computed have no value. The result shares no memory with the frame, in
// which values are left. Throws RunError. [main]
ValuesByStream computed(EvaluatedPipeline& pipeline, const SampleBatch& batch,
                        const std::vector<std::string>& outputs);

}  // namespace ptp::engine

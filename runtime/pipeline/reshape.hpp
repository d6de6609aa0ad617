// Outputs that hold the values of an input in another shape.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/wiring.hpp"

namespace ptp::pipeline {

struct Reshaping {
    const Assembly& assembly;
    const Shapes& shapes;
    const Draft& draft;
    const NodeShapes& own;  // of the draft
};

// If exactly two dimensions of a reshaped output are unknown and one of them is the first, sets the
// first to the batch size and the other to the number of values of a sample of the first input,
// divided by the known dimensions: [*, *] of [B, 16, 7, 7] becomes [B, 784].
// `own` is the draft's, to be completed.
void complete_reshaped(const Reshaping& reshaping, NodeShapes& own);

// Reports outputs declared as reshaped that cannot have as many values as the first input, whatever
// the still unknown sizes are.
void check_reshaped(const Reshaping& reshaping, Diagnostics& problems);

// Reports outputs declared as reshaped that a reader takes as batches, although a batch of the
// input would become one of more or fewer samples. To be asked once all shapes are solved.
void check_samples_stay_whole(const Reshaping& reshaping, Diagnostics& problems);

}  // namespace ptp::pipeline

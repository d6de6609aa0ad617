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

// Reports outputs declared as reshaped that cannot have as many values as the first input, whatever
// the still unknown sizes are.
void check_reshaped(const Reshaping& reshaping, Diagnostics& problems);

// Reports outputs declared as reshaped that a reader takes as batches, although a batch of the
// input would become one of more or fewer samples. To be asked once all shapes are solved.
void check_samples_stay_whole(const Reshaping& reshaping, Diagnostics& problems);

}  // namespace ptp::pipeline

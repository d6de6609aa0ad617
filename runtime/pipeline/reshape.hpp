// Outputs that hold the values of an input in another shape.

#pragma once

#include "config/diagnostics.hpp"
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
// the sizes are that nobody knows yet.
void check_reshaped(const Reshaping& reshaping, config::Diagnostics& problems);

}  // namespace ptp::pipeline

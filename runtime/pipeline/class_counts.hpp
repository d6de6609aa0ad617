// Whether predictions have a score for each class that the targets can be.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/wiring.hpp"

namespace ptp::pipeline {

// Warns of losses over class indices that a task writes, where the task publishes more classes than
// the predictions have scores. It is a warning, because a sampler may leave those classes out. To
// be asked once all shapes are solved.
void check_class_counts(const Assembly& assembly, const Shapes& shapes, Diagnostics& problems);

}  // namespace ptp::pipeline

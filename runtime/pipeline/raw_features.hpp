// Numbers of a task, in the scale of its files, that a linear map reads: those of a large scale
// decide alone what it learns.

#pragma once

#include "base/explanation.hpp"
#include "pipeline/plan.hpp"

#include <cstddef>
#include <vector>

namespace ptp::pipeline {

// Features of the plan's first task, [B, n], that reach a component as they are.
struct RawFeatures {
    int stream = -1;               // index into Plan::streams
    const Node* task = nullptr;    // that writes them
    const Node* reader = nullptr;  // or its layer
};

// Returns a pair for each such stream; none of those that only normalizations, other tasks and
// components of unknown kinds read.
std::vector<RawFeatures> raw_features(const Plan& plan);

// Two of the features, and the sizes that their numbers have.
struct UnlikeScales {
    std::size_t small = 0;
    double small_size = 0;
    std::size_t large = 0;
    double large_size = 0;
};

// Explains features whose scales differ by orders of magnitude.
Explanation of_scales(const Plan& plan, const RawFeatures& features, const UnlikeScales& scales);

}  // namespace ptp::pipeline

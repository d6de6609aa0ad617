// A loss of a batch, and how much of the batch it is the mean of.

#pragma once

#include <ATen/core/Tensor.h>

namespace ptp::engine {

struct WeightedLoss {
    at::Tensor loss;    // a scalar
    double weight = 0;  // the number of samples, or of what else the loss counts
};

}  // namespace ptp::engine

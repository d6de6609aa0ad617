// A loss of a batch, and how much of the batch it is the mean of.

#pragma once

#include <ATen/core/Tensor.h>

namespace ptp::engine {

struct WeightedLoss {
    at::Tensor loss;    // a scalar
    double weight = 0;  // the number of samples, or of what else the loss counts
};

// What a sum over this weight is divided by to become a mean. Nothing is divided by 0: a loss with
// the weight 0 is its sum. That is 0 where nothing counts, but not where label smoothing spreads
// targets whose own class has the weight 0.
inline double divisor_of(double weight) {
    return weight == 0 ? 1 : weight;
}

}  // namespace ptp::engine

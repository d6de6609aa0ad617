// A loss of a batch, and the weight over which it is a mean.

#pragma once

#include <ATen/core/Tensor.h>

namespace ptp::engine {

struct WeightedLoss {
    at::Tensor loss;    // a scalar
    double weight = 0;  // the number of samples, or other items, that the loss counts
};

// Returns the divisor that makes a sum over this weight a mean. Nothing is divided by 0: a loss
// with the weight 0 is its sum. That sum is 0 if nothing counts, except that label smoothing
// spreads targets whose own class has the weight 0.
inline double divisor_of(double weight) {
    return weight == 0 ? 1 : weight;
}

}  // namespace ptp::engine

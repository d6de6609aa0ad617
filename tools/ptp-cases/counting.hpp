// What all losses that average over samples have in common.
#pragma once

#include "ptp-cases/difference.hpp"
#include "ptp-cases/instance.hpp"

namespace ptp::cases {

// On the inputs of the case's only step, with the second sample masked: what is masked has no
// effect, nan neither; a batch in which nothing counts has the loss, the weight and the gradients
// 0; and the mean of two batches by their weights is the loss of both as one. REQUIRES: a loss with
// use_masking = true, and at least four samples.
Difference counting_difference(Instance& loss, const Step& step);

}  // namespace ptp::cases

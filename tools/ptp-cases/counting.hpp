// Checks properties of all losses that average over samples.
#pragma once

#include "ptp-cases/difference.hpp"
#include "ptp-cases/instance.hpp"

namespace ptp::cases {

// Checks, on the inputs of the case's only step with the second sample masked, that masked samples
// have no effect, even if nan; that a batch without unmasked samples has the loss, the weight and
// the gradients 0; and that the mean of two batches, weighted by their weights, is the loss of both
// as one. REQUIRES: a loss with use_masking = true, and at least four samples.
Difference counting_difference(Instance& loss, const Step& step);

}  // namespace ptp::cases

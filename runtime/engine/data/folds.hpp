// Which samples belong to a fold.

#pragma once

#include "experiment/sampler.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// The samples of the sampler's part, in rising order. All samples are put in an order that depends
// on `fold_seed` alone, which is then cut into folds whose sizes differ by at most one.
// REQUIRES: count >= sampler.folds >= 2.
std::vector<std::int64_t> fold_part(const experiment::Sampler& sampler, std::int64_t count);

}  // namespace ptp::engine

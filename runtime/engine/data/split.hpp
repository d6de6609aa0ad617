// Which samples belong to a share of a task's samples.

#pragma once

#include "experiment/sampler.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// The samples between the sampler's shares, in rising order; a function of them, the split's seed,
// the count and the labels alone. Shares that meet have no sample in common and leave none out.
// With the labels of a stratified split, one for each sample, a share has of each class as many
// samples as its part of them says, give or take less than one. REQUIRES: sampler.is_split().
std::vector<std::int64_t> split_part(const experiment::Sampler& sampler, std::int64_t count,
                                     const std::vector<std::int64_t>& labels);

}  // namespace ptp::engine

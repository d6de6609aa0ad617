// Which samples of a task belong to a fold, or to a share.

#pragma once

#include "experiment/sampler.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// The samples of the part that `folds` names, in rising order. All samples are put in an order that
// depends on `fold_seed` alone, which is then cut into folds whose sizes differ by at most one.
// REQUIRES: count >= folds.folds >= 2.
std::vector<std::int64_t> fold_part(const experiment::Folds& folds, std::int64_t count);

// The samples between the split's shares, in rising order; a function of them, the split's seed,
// the count and the labels alone. Shares that meet have no sample in common and leave none out.
// With the labels of a stratified split, one for each sample, a share has of each class as many
// samples as its fraction specifies, with an error of less than one.
std::vector<std::int64_t> split_part(const experiment::Split& split, std::int64_t count,
                                     const std::vector<std::int64_t>& labels);

}  // namespace ptp::engine

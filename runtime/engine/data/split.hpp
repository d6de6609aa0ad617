// The samples of a task in a fold, or in a share.

#pragma once

#include "experiment/sampler.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// Returns the samples of the part that `folds` names, in increasing order. All samples are put in
// an order that depends only on `fold_seed`, which is cut into folds whose sizes differ by at most
// one. With labels, one for each sample, the numbers of samples that two folds have of one class
// differ by at most one, too. REQUIRES: count >= folds.folds >= 2.
std::vector<std::int64_t> fold_part(const experiment::Folds& folds, std::int64_t count,
                                    const std::vector<std::int64_t>& labels);

// Returns the samples between the split's shares, in increasing order, which depend only on these,
// the split's seed, the count and the labels. Adjacent shares have no sample in common and leave
// none out. With the labels of a stratified split, one for each sample, a share has as many samples
// of each class as its fraction specifies, with an error of less than one.
std::vector<std::int64_t> split_part(const experiment::Split& split, std::int64_t count,
                                     const std::vector<std::int64_t>& labels);

}  // namespace ptp::engine

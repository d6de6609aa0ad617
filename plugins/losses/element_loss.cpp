// Checks the sizes of masks and the range of probabilities.

#include "element_loss.hpp"

#include <ATen/ATen.h>

namespace losses {

void check_masks_dims(int64_t num_masks_dims, int64_t num_targets_dims) {
    if (num_masks_dims > num_targets_dims) {
        throw ptp::SettingError("num_masks_dims",
                                "must be at most num_targets_dims = ", num_targets_dims);
    }
}

void require_probabilities(const at::Tensor& targets) {
    ptp::support::require_none(targets.ge(0).logical_and(targets.le(1)).logical_not(), "targets",
                               targets, "be in [0, 1]");
}

}  // namespace losses

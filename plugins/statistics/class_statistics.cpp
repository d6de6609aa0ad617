// Checks the sizes of targets and masks, and finds the samples that count.

#include "class_statistics.hpp"

#include "tensor_checks.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace measures {

void check_masks_dims(const MaskConfig& config) {
    if (config.use_masking && config.num_masks_dims > config.num_targets_dims) {
        throw ptp::SettingError("num_masks_dims", "must be at most num_targets_dims, ",
                                config.num_targets_dims);
    }
}

at::Tensor like_targets(const at::Tensor& masks, const at::Tensor& targets) {
    const auto shared = static_cast<std::size_t>(std::min(masks.dim(), targets.dim()));
    ptp::support::require_sizes("masks", masks, targets.sizes().slice(0, shared), "as targets has");
    std::vector<int64_t> sizes(static_cast<size_t>(targets.dim()), 1);
    std::copy(masks.sizes().begin(), masks.sizes().end(), sizes.begin());
    return masks.reshape(sizes);
}

at::Tensor counted(const ClassInputs& inputs, std::optional<int64_t> ignore_index) {
    const at::Tensor& targets = inputs.targets;
    if (inputs.scores != nullptr) {
        const at::IntArrayRef sizes = inputs.scores->sizes();
        ptp::support::require_sizes("targets", targets, sizes.slice(0, sizes.size() - 1),
                                    "as predictions has for each class");
    } else {
        ptp::support::require_sizes("targets", targets, inputs.classes->sizes(),
                                    "as predictions has");
    }
    const at::Tensor result = ignore_index ? ptp::support::widened(targets).ne(*ignore_index)
                                           : at::ones_like(targets, at::kBool);
    return inputs.masks != nullptr ? result.logical_and(like_targets(*inputs.masks, targets))
                                   : result;
}

}  // namespace measures

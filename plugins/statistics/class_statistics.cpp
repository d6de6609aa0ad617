#include "class_statistics.hpp"

#include "tensor_checks.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace measures {

void check_masks_dims(const ClassConfig& config) {
    if (config.use_masking && config.num_masks_dims > config.num_targets_dims) {
        throw ptp::SettingError("num_masks_dims", "must be at most num_targets_dims, ",
                                config.num_targets_dims);
    }
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
    at::Tensor result =
        ignore_index ? targets.ne(*ignore_index) : at::ones_like(targets, at::kBool);
    if (inputs.masks != nullptr) {
        const at::IntArrayRef mask_sizes = inputs.masks->sizes();
        const auto shared = static_cast<std::size_t>(std::min(inputs.masks->dim(), targets.dim()));
        ptp::support::require_sizes("masks", *inputs.masks, targets.sizes().slice(0, shared),
                                    "as targets has");
        std::vector<int64_t> sizes(static_cast<size_t>(targets.dim()), 1);
        std::copy(mask_sizes.begin(), mask_sizes.end(), sizes.begin());
        result = result.logical_and(inputs.masks->reshape(sizes));
    }
    return result;
}

}  // namespace measures

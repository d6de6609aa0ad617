#include "class_statistics.hpp"

#include "tensor_checks.hpp"

#include <ATen/ATen.h>

#include <vector>

namespace measures {

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
        ptp::support::require_sizes("masks", *inputs.masks, targets.sizes().slice(0, 1),
                                    "as targets has");
        std::vector<int64_t> sizes(static_cast<size_t>(targets.dim()), 1);
        sizes[0] = targets.size(0);
        result = result.logical_and(inputs.masks->reshape(sizes));
    }
    return result;
}

}  // namespace measures

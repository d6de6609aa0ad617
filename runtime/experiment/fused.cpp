#include "experiment/fused.hpp"

#include "experiment/libtorch_version.hpp"

#include <fmt/core.h>

#include <string>

namespace ptp::experiment {

namespace {

void refuse_fused(const Scope& root, const std::string& optimizer, const optimizer::Any& options) {
    const std::string key = fmt::format("{}.{}", optimizer, optimizer::kFusedKey);
    const Value* const value = root.table.find_path(key);
    if (value != nullptr && fused_of(options).value_or(false)) {
        root.problems.error(
            *value, key,
            Explanation{
                fmt::format("libtorch {} has no fused steps (from {}.{} on it does)",
                            libtorch_version(), kFirstWithFusedSteps[0], kFirstWithFusedSteps[1]),
                "fused = false"});
    }
}

}  // namespace

void check_fused(const Scope& root, const Experiment& experiment) {
    if (is_from(libtorch_version(), kFirstWithFusedSteps)) {
        return;
    }
    refuse_fused(root, "training.optimizer", experiment.training.optimizer);
    for (const ParameterGroup& group : experiment.training.groups) {
        refuse_fused(root, "training.optimizer.groups." + group.component, group.options);
    }
}

}  // namespace ptp::experiment

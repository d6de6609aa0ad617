// Looks for targets that predictions with limits never reach.

#include "engine/train/target_range.hpp"

#include "base/explanation.hpp"
#include "pipeline/meaning.hpp"
#include "pipeline/sizes.hpp"

#include <ATen/core/Tensor.h>
#include <fmt/core.h>

namespace ptp::engine {

void warn_of_target_range(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log) {
    constexpr double kMaxShare = 0.25;  // of the numbers: some noise beyond the limits is harmless
    for (const pipeline::LimitedPredictions& one : pipeline::limited_predictions(plan)) {
        const at::Tensor& targets = frame[one.targets].tensor;
        // The check has warned of standardized ones.
        if (one.are_standardized || !targets.defined() || targets.numel() == 0) {
            continue;
        }
        at::Tensor is_beyond = targets.lt(0);
        if (!one.are_from_zero) {
            is_beyond.logical_or_(targets.gt(1));
        }
        if (is_beyond.sum().item<double>() > kMaxShare * static_cast<double>(targets.numel())) {
            log.warn(Explanation{
                fmt::format("{} {}, with targets from {:g} to {:g} in the first batch: {} never "
                            "reached",
                            pipeline::node_text(*one.loss), pipeline::text_of_limit(one),
                            targets.min().item<double>(), targets.max().item<double>(),
                            one.are_from_zero ? "those below 0 are" : "they are"),
                one.fix}
                         .text());
        }
    }
}

}  // namespace ptp::engine

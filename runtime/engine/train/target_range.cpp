// Looks for targets that predictions with limits never reach.

#include "engine/train/target_range.hpp"

#include "base/explanation.hpp"
#include "pipeline/meaning.hpp"

#include <ATen/core/Tensor.h>
#include <fmt/core.h>

namespace ptp::engine {

void warn_of_target_range(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log) {
    constexpr double kMaxShare = 0.25;  // of the numbers: some noise beyond the limits is harmless
    for (const pipeline::LimitedPredictions& one : pipeline::limited_predictions(plan)) {
        const at::Tensor& targets = frame[one.targets].tensor;
        if (!targets.defined() || targets.numel() == 0) {
            continue;
        }
        const at::Tensor is_beyond = targets.lt(0).logical_or_(targets.gt(1));
        if (is_beyond.sum().item<double>() > kMaxShare * static_cast<double>(targets.numel())) {
            log.warn(Explanation{
                fmt::format("{} compares predictions of {}, which stay between 0 and 1, with "
                            "targets from {:g} to {:g} in the first batch: they are never reached",
                            one.reader, one.writer, targets.min().item<double>(),
                            targets.max().item<double>()),
                one.fix}
                         .text());
        }
    }
}

}  // namespace ptp::engine

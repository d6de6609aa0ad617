// Looks for targets that predictions with limits never reach, for padding among those that count,
// for targets that are the next inputs, and for features of unlike scales.

#include "engine/train/first_targets.hpp"

#include "base/explanation.hpp"
#include "pipeline/later_steps.hpp"
#include "pipeline/meaning.hpp"
#include "pipeline/padding.hpp"
#include "pipeline/raw_features.hpp"
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

void warn_of_seen_answers(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log) {
    for (const pipeline::SeenAnswers& one : pipeline::seen_answers(plan)) {
        const at::Tensor& inputs = frame[one.inputs].tensor;
        const at::Tensor& targets = frame[one.targets].tensor;
        const bool are_sequences = inputs.defined() && targets.defined() && inputs.dim() == 2 &&
                                   inputs.sizes() == targets.sizes() && inputs.size(1) > 1;
        const std::int64_t rest = are_sequences ? inputs.size(1) - 1 : 0;
        if (are_sequences &&
            inputs.narrow(1, 1, rest).equal(targets.narrow(1, 0, rest))) {  // [B, length - 1]
            log.warn(Explanation{
                fmt::format("{} lets each step depend on later ones, and each target of {} is the "
                            "next step of '{}': the model sees what it is to predict",
                            pipeline::node_text(*one.mixer), pipeline::node_text(*one.loss),
                            plan.stream(one.inputs).name),
                one.fix}
                         .text());
            return;
        }
    }
}

void warn_of_counted_padding(const TrainingSession& session, spdlog::logger& log) {
    using plugin::Purpose;
    const pipeline::Plan& plan = session.executor.plan();
    const auto integer_of = [&](const pipeline::Node* node) {
        const auto place = static_cast<std::size_t>(node - plan.nodes.data());
        return session.components.nodes[place]->integer_for(Purpose::kIgnoredTarget);
    };
    for (const pipeline::CountedPadding& one : pipeline::counted_padding(plan)) {
        const at::Tensor& targets = session.frame[one.targets].tensor;
        const auto padding = integer_of(one.writer);
        const auto ignored = integer_of(one.reader);
        if (one.is_certain || !padding || ignored == padding || !targets.defined()) {
            continue;
        }
        const auto count = targets.eq(*padding).sum().item<std::int64_t>();
        if (count > 0) {
            log.warn(Explanation{
                fmt::format("{} {}: {} of the {} targets of the first batch are {}{}",
                            pipeline::node_text(*one.reader), pipeline::text_of_padding(plan, one),
                            count, targets.numel(), *padding,
                            ignored ? fmt::format(", and only {} does not count", *ignored) : ""),
                one.fix}
                         .text());
        }
    }
}

void warn_of_unlike_scales(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log) {
    constexpr double kFar = 50;  // larger numbers saturate what a network begins with
    constexpr double kRatio = 50;
    constexpr std::int64_t kMinRows = 4;
    for (const pipeline::RawFeatures& one : pipeline::raw_features(plan)) {
        const at::Tensor& numbers = frame[one.stream].tensor;  // [B, n]
        if (!numbers.defined() || numbers.dim() != 2 || numbers.size(0) < kMinRows) {
            continue;
        }
        const at::Tensor sizes = numbers.to(at::kCPU, at::kDouble).square().mean(0).sqrt();  // [n]
        pipeline::UnlikeScales scales;
        for (std::int64_t i = 0; i < sizes.numel(); ++i) {
            const auto size = sizes[i].item<double>();
            if (size > scales.large_size) {
                scales.large = static_cast<std::size_t>(i);
                scales.large_size = size;
            }
            if (size > 0 && (scales.small_size == 0 || size < scales.small_size)) {
                scales.small = static_cast<std::size_t>(i);
                scales.small_size = size;
            }
        }
        if (scales.large_size >= kFar && scales.large_size >= kRatio * scales.small_size) {
            log.warn(pipeline::of_scales(plan, one, scales).text());
        }
    }
}

void warn_of_unlike_scales(TrainingSession& session) {
    const pipeline::Plan& plan = session.executor.plan();
    if (session.training == nullptr || pipeline::raw_features(plan).empty()) {
        return;
    }
    Batch batch = session.training->new_batch();
    session.training->fetch(session.training->plan_pass(0, true), 0, batch);
    session.training->exchange(batch, session.frame);
    warn_of_unlike_scales(plan, session.frame, session.log);
}

}  // namespace ptp::engine

// Looks for targets that predictions with limits never reach, for padding among those that count,
// for targets that are the next inputs, and for features of unlike scales.

#include "engine/train/first_targets.hpp"

#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/later_steps.hpp"
#include "pipeline/meaning.hpp"
#include "pipeline/padding.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/purpose.hpp"

#include <ATen/core/Tensor.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ptp::engine {

namespace {

// Features of the plan's first task, [B, n], that reach a component as they are.
struct RawFeatures {
    int stream = -1;                         // index into Plan::streams
    const pipeline::Node* task = nullptr;    // that writes them
    const pipeline::Node* reader = nullptr;  // or its layer
};

// Two of the features, and the sizes that their numbers have.
struct UnlikeScales {
    std::size_t small = 0;
    double small_size = 0;
    std::size_t large = 0;
    double large_size = 0;
};

constexpr std::size_t kRawTask = 0;  // of the training, or of what is processed

// Returns whether one of its outputs has scores, as that of a linear map has.
bool makes_scores(const pipeline::Node& node) {
    return std::ranges::any_of(node.outputs, [&](const pipeline::Binding& output) {
        const auto words = meanings_of(node.port(output), checked_settings(node));
        return contains(words, "scores") || contains(words, "log_probabilities");
    });
}

// Adds the outputs that have the numbers of a raw input.
void pass_on(const pipeline::Node& node, std::set<int>& raw) {
    for (const pipeline::Binding& output : node.outputs) {
        const auto words = meanings_of(node.port(output), checked_settings(node));
        if (output.stream >= 0 &&
            std::ranges::any_of(node.inputs, [&](const pipeline::Binding& input) {
                return raw.contains(input.stream) && contains(words, node.port(input).name);
            })) {
            raw.insert(output.stream);
        }
    }
}

// Returns the linear map that reads one of the streams first, a component or its layer; nullptr if
// there is none.
const pipeline::Node* first_map(const std::vector<pipeline::Node>& nodes, std::set<int> raw) {
    for (const pipeline::Node& node : nodes) {
        const bool reads = std::ranges::any_of(node.inputs, [&](const pipeline::Binding& input) {
            return raw.contains(input.stream);
        });
        if (!reads || !node.runs_on(kRawTask)) {
            continue;
        }
        std::set<int> inner;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (raw.contains(node.inputs[i].stream)) {
                inner.insert(static_cast<int>(i));
            }
        }
        if (const pipeline::Node* const layer = first_map(node.layers, inner)) {
            return layer;
        }
        if (node.layers.empty() && node.component->kind == plugin::Kind::kModel &&
            makes_scores(node)) {
            return &node;
        }
        pass_on(node, raw);
    }
    return nullptr;
}

// Returns the setting with the names of the columns in a stream, whose length is in the shape of
// its port; nullptr if there is none.
const Value* columns_of(const pipeline::Node& task, int stream) {
    const auto output = std::ranges::find(task.outputs, stream, &pipeline::Binding::stream);
    const auto& declared = task.component->settings;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const std::string length = fmt::format("length(${})", declared[i].name);
        if (task.settings[i] && task.settings[i]->is_list() &&
            task.port(*output).shape.find(length) != std::string::npos) {
            return &*task.settings[i];
        }
    }
    return nullptr;
}

std::string feature_name(const RawFeatures& features, std::size_t place) {
    const Value* const columns = columns_of(*features.task, features.stream);
    return columns != nullptr && place < columns->items().size() &&
                   columns->items()[place].is_string()
               ? fmt::format("'{}'", columns->items()[place].as_string())
               : fmt::format("number {}", place + 1);
}

std::string advice_on(const RawFeatures& features) {
    const plugin::Component& task = *features.task->component;
    const std::string norm =
        fmt::format("put a batch normalization before {}", node_text(*features.reader));
    if (plugin::find_purpose(task.globals, plugin::Purpose::kValueColumns) != nullptr) {
        return "leave out standardize = false; or " + norm;
    }
    return plugin::find_purpose(task.settings, plugin::Purpose::kSeparator) != nullptr
               ? experiment::meaning_of_word("standardize") + "; or " + norm
               : norm;
}

// Returns the features of each such stream; none of those that only normalizations, other tasks and
// components of unknown kinds read.
std::vector<RawFeatures> raw_features(const pipeline::Plan& plan) {
    std::vector<RawFeatures> all;
    if (plan.tasks.empty()) {
        return all;
    }
    const pipeline::Node& task = plan.tasks[kRawTask];
    for (const pipeline::Binding& output : task.outputs) {
        const bool are_features = output.stream >= 0 && output.shape.size() == 2 &&
                                  task.port(output).element == plugin::Element::kFloating &&
                                  task.port(output).purpose != plugin::Purpose::kTargets;
        const pipeline::Node* const reader =
            are_features ? first_map(plan.nodes, {output.stream}) : nullptr;
        if (reader != nullptr) {
            all.push_back({output.stream, &task, reader});
        }
    }
    return all;
}

// Explains features whose scales differ by orders of magnitude.
Explanation of_scales(const pipeline::Plan& plan, const RawFeatures& features,
                      const UnlikeScales& scales) {
    return {fmt::format("{} writes '{}' as the files have them, and nothing standardizes them "
                        "before {}: in the first batch {} has numbers around {:.3g}, and {} around "
                        "{:.3g}, so that the large ones decide alone what is learned",
                        node_text(*features.task), plan.stream(features.stream).name,
                        node_text(*features.reader), feature_name(features, scales.large),
                        scales.large_size, feature_name(features, scales.small), scales.small_size),
            advice_on(features)};
}

}  // namespace

void warn_of_target_range(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log) {
    constexpr double kMaxShare = 0.25;  // of the numbers: some noise beyond the limits is harmless
    for (const pipeline::LimitedPredictions& one : pipeline::limited_predictions(plan)) {
        const at::Tensor& targets = frame[one.targets].tensor;
        // The check has warned of standardized ones.
        if (one.are_standardized || !targets.defined() || targets.numel() == 0) {
            continue;
        }
        const at::Tensor is_beyond = targets.lt(one.lowest).logical_or(targets.gt(one.highest));
        if (is_beyond.sum().item<double>() > kMaxShare * static_cast<double>(targets.numel())) {
            log.warn(Explanation{
                fmt::format("{} {}, with targets from {:g} to {:g} in the first batch: {} never "
                            "reached",
                            pipeline::node_text(*one.loss), pipeline::text_of_limit(one),
                            targets.min().item<double>(), targets.max().item<double>(),
                            std::isinf(one.highest) ? "those below 0 are" : "they are"),
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
        if (are_sequences && inputs.equal(targets)) {
            log.warn(Explanation{
                fmt::format("each target of {} is the same step of '{}', which the predictions are "
                            "computed from: the model sees what it is to predict",
                            pipeline::node_text(*one.loss), plan.stream(one.inputs).name),
                fmt::format("let {} read the targets of the task, such as the next words",
                            pipeline::node_text(*one.loss))}
                         .text());
            return;
        }
        if (are_sequences && one.mixer != nullptr &&
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
    for (const RawFeatures& one : raw_features(plan)) {
        const at::Tensor& numbers = frame[one.stream].tensor;  // [B, n]
        if (!numbers.defined() || numbers.dim() != 2 || numbers.size(0) < kMinRows) {
            continue;
        }
        const at::Tensor sizes = numbers.to(at::kCPU, at::kDouble).square().mean(0).sqrt();  // [n]
        UnlikeScales scales;
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
            log.warn(of_scales(plan, one, scales).text());
        }
    }
}

void warn_of_unlike_scales(TrainingSession& session) {
    const pipeline::Plan& plan = session.executor.plan();
    if (session.training == nullptr || raw_features(plan).empty()) {
        return;
    }
    Batch batch = session.training->new_batch();
    session.training->fetch(session.training->plan_pass(0, true), 0, batch);
    session.training->exchange(batch, session.frame);
    warn_of_unlike_scales(plan, session.frame, session.log);
}

}  // namespace ptp::engine

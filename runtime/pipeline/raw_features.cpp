// Follows the numbers of a task to the first component that multiplies them by weights.

#include "pipeline/raw_features.hpp"

#include "base/ranges.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/meaning.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace ptp::pipeline {

namespace {

constexpr std::size_t kRawTask = 0;  // of the training, or of what is processed

// Returns whether one of its outputs has scores, as that of a linear map has.
bool makes_scores(const Node& node) {
    return std::ranges::any_of(node.outputs, [&](const Binding& output) {
        const auto words = meanings_of(node.port(output), checked_settings(node));
        return contains(words, "scores") || contains(words, "log_probabilities");
    });
}

// Adds the outputs that have the numbers of a raw input.
void pass_on(const Node& node, std::set<int>& raw) {
    for (const Binding& output : node.outputs) {
        const auto words = meanings_of(node.port(output), checked_settings(node));
        if (output.stream >= 0 && std::ranges::any_of(node.inputs, [&](const Binding& input) {
                return raw.contains(input.stream) && contains(words, node.port(input).name);
            })) {
            raw.insert(output.stream);
        }
    }
}

// Returns the linear map that reads one of the streams first, a component or its layer; nullptr if
// there is none.
const Node* first_map(const std::vector<Node>& nodes, std::set<int> raw) {
    for (const Node& node : nodes) {
        const bool reads = std::ranges::any_of(
            node.inputs, [&](const Binding& input) { return raw.contains(input.stream); });
        if (!reads || !node.runs_on(kRawTask)) {
            continue;
        }
        std::set<int> inner;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (raw.contains(node.inputs[i].stream)) {
                inner.insert(static_cast<int>(i));
            }
        }
        if (const Node* const layer = first_map(node.layers, inner)) {
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
const Value* columns_of(const Node& task, int stream) {
    const auto output = std::ranges::find(task.outputs, stream, &Binding::stream);
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

}  // namespace

std::vector<RawFeatures> raw_features(const Plan& plan) {
    std::vector<RawFeatures> all;
    if (plan.tasks.empty()) {
        return all;
    }
    const Node& task = plan.tasks[kRawTask];
    for (const Binding& output : task.outputs) {
        const bool are_features = output.stream >= 0 && output.shape.size() == 2 &&
                                  task.port(output).element == plugin::Element::kFloating &&
                                  task.port(output).purpose != plugin::Purpose::kTargets;
        const Node* const reader = are_features ? first_map(plan.nodes, {output.stream}) : nullptr;
        if (reader != nullptr) {
            all.push_back({output.stream, &task, reader});
        }
    }
    return all;
}

Explanation of_scales(const Plan& plan, const RawFeatures& features, const UnlikeScales& scales) {
    return {fmt::format("{} writes '{}' as the files have them, and nothing standardizes them "
                        "before {}: in the first batch {} has numbers around {:.3g}, and {} around "
                        "{:.3g}, so that the large ones decide alone what is learned",
                        node_text(*features.task), plan.stream(features.stream).name,
                        node_text(*features.reader), feature_name(features, scales.large),
                        scales.large_size, feature_name(features, scales.small), scales.small_size),
            advice_on(features)};
}

}  // namespace ptp::pipeline

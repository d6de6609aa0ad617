// Finds streams of probabilities, and losses that compare such a stream with any numbers.

#include "pipeline/meaning.hpp"

#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

constexpr const char* kLimited = "probabilities";
constexpr std::size_t kTask = 0;  // of the training, or of what is processed

// Returns the only word of an output: a meaning, or the name of what passes through; "" otherwise.
std::string word_of(const Node& node, const Binding& output) {
    const std::vector<std::string> words = meanings_of(node.port(output), checked_settings(node));
    return words.size() == 1 ? words.front() : "";
}

// Returns the only wired input of a port of this name; nullptr if there are several, or none.
const Binding* only_input(const Node& node, const std::string& port) {
    const auto is_it = [&](const Binding& input) {
        return input.stream >= 0 && node.port(input).name == port;
    };
    const auto found = std::ranges::find_if(node.inputs, is_it);
    return std::ranges::count_if(node.inputs, is_it) == 1 ? &*found : nullptr;
}

// Returns the layer that writes probabilities to the stream between layers, or what passes them
// through; nullptr if there is none.
const Node* limiting_layer(const Node& owner, int stream) {
    for (const Node& layer : owner.layers) {
        for (const Binding& output : layer.outputs) {
            if (output.stream == stream) {
                const std::string word = word_of(layer, output);
                const Binding* const input = only_input(layer, word);
                return word == kLimited   ? &layer
                       : input != nullptr ? limiting_layer(owner, input->stream)
                                          : nullptr;
            }
        }
    }
    return nullptr;
}

// Returns the component, or its layer, that makes the stream probabilities; nullptr if none does.
const Node* limiting_node(const Plan& plan, int stream) {
    const int producer = plan.stream(stream).producer;
    if (producer < 0) {
        return nullptr;
    }
    const Node& node = plan.node(producer);
    if (node.passes_on(kTask)) {
        const auto passed = node.passed_ports();
        const auto found = std::ranges::find_if(
            passed, [&](const auto& ports) { return node.outputs[ports.second].stream == stream; });
        return found == passed.end() ? nullptr
                                     : limiting_node(plan, node.inputs[found->first].stream);
    }
    const auto output = std::ranges::find(node.outputs, stream, &Binding::stream);
    const std::string word = output == node.outputs.end() ? "" : word_of(node, *output);
    if (word == kLimited) {
        return &node;
    }
    if (const Binding* const input = only_input(node, word)) {
        return limiting_node(plan, input->stream);
    }
    for (const LayerList& list : node.lists) {
        if (node.component->settings[list.setting].name == word) {
            return limiting_layer(node, list.result);
        }
    }
    return nullptr;
}

std::string fix_of_limit(const Plan& plan, const Node& loss, const Binding& predictions,
                         const Node& writer) {
    if (!writer.owner.empty()) {
        return fmt::format("leave out {}, \"{}\"", writer.path, writer.component->name);
    }
    const bool has_one_input =
        writer.component->kind == plugin::Kind::kTransform && writer.inputs.size() == 1;
    return has_one_input ? fmt::format("write streams.{} = \"{}\" in {}", predictions.name,
                                       plan.stream(writer.inputs.front().stream).name, loss.path)
                         : fmt::format("let {} read numbers without limits", node_text(loss));
}

}  // namespace

bool are_probabilities(const Plan& plan, int stream) {
    return limiting_node(plan, stream) != nullptr;
}

std::vector<LimitedPredictions> limited_predictions(const Plan& plan) {
    std::vector<LimitedPredictions> all;
    for (const Node& loss : plan.nodes) {
        const Binding* const targets = loss.input_for(plugin::Purpose::kTargets);
        const bool counts_all = std::ranges::none_of(loss.inputs, [&](const Binding& input) {
            return input.stream >= 0 && loss.port(input).element == plugin::Element::kBoolean;
        });
        if (loss.component->kind != plugin::Kind::kLoss || !loss.runs_on(kTask) ||
            targets == nullptr || !counts_all ||
            loss.port(*targets).element != plugin::Element::kFloating) {
            continue;
        }
        for (const Binding& input : loss.inputs) {
            const std::vector<std::string> taken =
                meanings_of(loss.port(input), checked_settings(loss));
            const Node* const writer = input.stream >= 0 && contains(taken, "values")
                                           ? limiting_node(plan, input.stream)
                                           : nullptr;
            if (writer != nullptr && &input != targets) {
                all.push_back({targets->stream, node_text(loss), node_text(*writer),
                               fix_of_limit(plan, loss, input, *writer)});
            }
        }
    }
    return all;
}

}  // namespace ptp::pipeline

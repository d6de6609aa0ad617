// Finds streams of probabilities and of numbers from 0 on, and losses that compare such a stream
// with any numbers.

#include "pipeline/meaning.hpp"

#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

constexpr const char* kProbabilities = "probabilities";
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

// The component, or one of its layers, that limits the numbers of a stream, and their meaning.
struct Limit {
    const Node* writer = nullptr;  // nullptr: nothing does
    std::string word = {};
};

bool is_limited(const std::string& word) {
    return word == kProbabilities || word == kFromZero;
}

// Returns the layer that limits the stream between layers, or whose numbers pass through to it.
Limit limiting_layer(const Node& owner, int stream) {
    for (const Node& layer : owner.layers) {
        for (const Binding& output : layer.outputs) {
            if (output.stream == stream) {
                const std::string word = word_of(layer, output);
                const Binding* const input = only_input(layer, word);
                return is_limited(word)   ? Limit{&layer, word}
                       : input != nullptr ? limiting_layer(owner, input->stream)
                                          : Limit{};
            }
        }
    }
    return {};
}

Limit limit_of(const Plan& plan, int stream) {
    const int producer = plan.stream(stream).producer;
    if (producer < 0) {
        return {};
    }
    const Node& node = plan.node(producer);
    if (node.passes_on(kTask)) {
        const auto passed = node.passed_ports();
        const auto found = std::ranges::find_if(
            passed, [&](const auto& ports) { return node.outputs[ports.second].stream == stream; });
        return found == passed.end() ? Limit{} : limit_of(plan, node.inputs[found->first].stream);
    }
    const auto output = std::ranges::find(node.outputs, stream, &Binding::stream);
    const std::string word = output == node.outputs.end() ? "" : word_of(node, *output);
    if (is_limited(word)) {
        return {&node, word};
    }
    if (const Binding* const input = only_input(node, word)) {
        return limit_of(plan, input->stream);
    }
    for (const LayerList& list : node.lists) {
        if (node.component->settings[list.setting].name == word) {
            return limiting_layer(node, list.result);
        }
    }
    return {};
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
    return limit_of(plan, stream).word == kProbabilities;
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
            const Limit limit = input.stream >= 0 && contains(taken, "values")
                                    ? limit_of(plan, input.stream)
                                    : Limit{};
            if (limit.writer != nullptr && &input != targets) {
                all.push_back(
                    {.targets = targets->stream,
                     .are_from_zero = limit.word == kFromZero,
                     .are_standardized = !plan.tasks.empty() &&
                                         !value_scales(plan.tasks[kTask], targets->stream).empty(),
                     .loss = &loss,
                     .writer = node_text(*limit.writer),
                     .fix = fix_of_limit(plan, loss, input, *limit.writer)});
            }
        }
    }
    return all;
}

std::string text_of_limit(const LimitedPredictions& one) {
    return fmt::format("compares predictions of {}, which {}", one.writer,
                       one.are_from_zero ? "are never below 0" : "stay between 0 and 1");
}

void warn_of_limits(const Plan& plan, Diagnostics& problems) {
    for (const LimitedPredictions& one : limited_predictions(plan)) {
        if (one.are_standardized) {
            pipeline::warn(
                *one.loss,
                Explanation{fmt::format("{}, with standardized values: about {}, and are "
                                        "never reached",
                                        text_of_limit(one),
                                        one.are_from_zero ? "half of these are negative"
                                                          : "two thirds of these lie beyond"),
                            one.fix},
                problems);
        }
    }
}

}  // namespace ptp::pipeline

// Follows the steps of sequences from integers to the losses that compare them with others.

#include "pipeline/later_steps.hpp"

#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Element;

constexpr std::size_t kStepPlace = 1;  // the dimension of the steps

// The settings that say whether steps depend on later ones, by their usual names, and the values
// with which they do not.
constexpr std::array kDirections = {std::pair{"bidirectional", false},
                                    std::pair{"is_causal", true}};

// Returns whether it reads a stream that it has only with this value of the setting, as attention
// to another sequence, whose steps are not later ones of the first.
bool reads_only_with(const Node& node, std::string_view setting) {
    return std::ranges::any_of(node.inputs, [&](const Binding& input) {
        const auto& terms = parse_condition(node.port(input).when).terms;
        return input.stream >= 0 &&
               std::ranges::find(terms, setting, &Term::setting) != terms.end();
    });
}

std::string fix_of_mixing(const Node& node) {
    for (const auto& [name, is_right] : kDirections) {
        const Value* const value = checked_settings(node).find(name);
        if (value != nullptr && value->is_bool() && value->as_bool() != is_right &&
            !reads_only_with(node, name)) {
            return fmt::format("set {}.{} = {}", node.path, name, is_right);
        }
    }
    return "";
}

// A stream may have the steps of the integers, and a component may have mixed them.
struct Steps {
    bool are_there = false;
    const Node* mixer = nullptr;
};

// Components or layers, and the streams between them.
class Flow {
public:
    Flow(const Plan& plan, const std::vector<Stream>& streams)
        : plan_(plan), streams_(streams), steps_(streams.size()) {}

    Steps& at(const Binding& binding) { return steps_[static_cast<std::size_t>(binding.stream)]; }
    Steps& at(int stream) { return steps_[static_cast<std::size_t>(stream)]; }

    void follow(const Node& node) {
        for (const Binding& input : node.inputs) {
            if (input.stream < 0 || !at(input).are_there) {
                continue;
            }
            for (const Binding& output : node.outputs) {
                if (output.stream >= 0 && keeps_steps(input, output)) {
                    const Node* const before = at(input).mixer;
                    Steps& made = at(output);
                    made.are_there = true;
                    made.mixer = made.mixer != nullptr ? made.mixer
                                 : before != nullptr   ? before
                                                       : mixer_of(node);
                }
            }
        }
    }

private:
    // Returns the dimensions of what a port carries, of one of any shape those of its stream.
    [[nodiscard]] const std::vector<Dimension>& shape_of(const Binding& binding) const {
        return binding.has_shape ? binding.shape
                                 : streams_[static_cast<std::size_t>(binding.stream)].shape;
    }

    [[nodiscard]] bool keeps_steps(const Binding& input, const Binding& output) const {
        const auto& read = shape_of(input);
        const auto& written = shape_of(output);
        if (read.size() <= kStepPlace || written.size() <= kStepPlace) {
            return false;
        }
        const auto size = size_of(plan_, read[kStepPlace]);
        return (read[kStepPlace].symbol >= 0 &&
                read[kStepPlace].symbol == written[kStepPlace].symbol) ||
               (size && size == size_of(plan_, written[kStepPlace]));
    }

    // Returns the component, or its layer, that mixes the steps.
    const Node* mixer_of(const Node& node) {
        if (mixes_steps(node)) {
            return &node;
        }
        Flow inner(plan_, node.inner_streams);
        for (std::size_t i = 0; i < std::min(node.inputs.size(), inner.steps_.size()); ++i) {
            if (node.inputs[i].stream >= 0) {
                inner.steps_[i] = at(node.inputs[i]);
            }
        }
        for (const Node& layer : node.layers) {
            inner.follow(layer);
        }
        for (const LayerList& list : node.lists) {
            if (list.result >= 0 && inner.at(list.result).mixer != nullptr) {
                return inner.at(list.result).mixer;
            }
        }
        return nullptr;
    }

    const Plan& plan_;
    const std::vector<Stream>& streams_;
    std::vector<Steps> steps_;
};

}  // namespace

bool mixes_steps(const Node& node) {
    return !fix_of_mixing(node).empty();
}

std::vector<SeenAnswers> seen_answers(const Plan& plan) {
    std::vector<SeenAnswers> all;
    for (std::size_t i = 0; i < plan.streams.size(); ++i) {
        const Stream& inputs = plan.streams[i];
        if (inputs.element != Element::kInteger || inputs.shape.size() != kStepPlace + 1) {
            continue;
        }
        Flow flow(plan, plan.streams);
        flow.at(static_cast<int>(i)).are_there = true;
        for (const Node& node : plan.nodes) {
            flow.follow(node);
            const Binding* const targets = node.input_for(plugin::Purpose::kTargets);
            if (node.component->kind != plugin::Kind::kLoss || targets == nullptr ||
                targets->stream == static_cast<int>(i) || targets->shape.size() != kStepPlace + 1) {
                continue;
            }
            for (const Binding& input : node.inputs) {
                const Node* const mixer =
                    input.stream < 0 || &input == targets ? nullptr : flow.at(input).mixer;
                if (mixer != nullptr) {
                    all.push_back({static_cast<int>(i), targets->stream, &node, mixer,
                                   fix_of_mixing(*mixer)});
                }
            }
        }
    }
    return all;
}

}  // namespace ptp::pipeline

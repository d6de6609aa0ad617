// Finds what is right about a stream that is predicted, and what its numbers mean.

#include "pipeline/predicted_targets.hpp"

#include "base/suggest.hpp"
#include "plugin/purpose.hpp"

#include <algorithm>
#include <cstddef>

namespace ptp::pipeline {

using plugin::Kind;

bool are_logits(const Plan& plan, int stream) {
    return std::ranges::any_of(plan.nodes, [&](const Node& node) {
        return node.component->kind == Kind::kLoss &&
               std::ranges::any_of(node.inputs, [&](const Binding& input) {
                   const std::string& meaning = node.port(input).meaning;
                   return input.stream == stream && meaning.find("scores") != std::string::npos &&
                          meaning.find("probabilities") == std::string::npos;
               });
    });
}

int task_targets(const Plan& plan, int made) {
    const auto targets_of = [&](const Node& node, const std::vector<Binding>& bindings) {
        return std::ranges::find_if(bindings, [&](const Binding& binding) {
            return node.port(binding).purpose == plugin::Purpose::kTargets &&
                   !binding.wire.stream.empty();
        });
    };
    for (const Node& node : plan.nodes) {
        const auto output = targets_of(node, node.outputs);
        const auto input = targets_of(node, node.inputs);
        if (output != node.outputs.end() && input != node.inputs.end() &&
            output->wire.stream == plan.stream(made).name) {
            const auto* const before = find_named(plan.streams, input->wire.stream);
            return before == nullptr
                       ? made
                       : task_targets(plan, static_cast<int>(before - plan.streams.data()));
        }
    }
    return made;
}

std::string class_names_of(const Plan& plan) {
    const Node& task = plan.tasks.front();
    std::string used = task.global_for(plugin::Purpose::kClassNames);
    for (std::size_t i = 0; used.empty() && i < plan.nodes.size(); ++i) {
        used = plan.nodes[i].global_for(plugin::Purpose::kClassNames);
    }
    const auto* const declared =
        plugin::find_purpose(task.component->globals, plugin::Purpose::kClassNames);
    return used.empty() && declared != nullptr ? declared->name : used;
}

}  // namespace ptp::pipeline

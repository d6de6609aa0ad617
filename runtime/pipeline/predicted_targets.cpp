// Finds streams that may be predicted, what is right about them, and what their numbers mean.

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

bool is_stream_written(const Plan& plan, int stream) {
    const Node& task = plan.tasks.front();
    const int producer = plan.stream(stream).producer;
    return producer >= 0 ? plan.node(producer).writes_on(0)
                         : stream == task.indices_stream || task.writes(stream);
}

std::vector<int> streams_named(const Plan& plan, const std::vector<std::string>& names,
                               Diagnostics& problems) {
    std::vector<int> streams;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < plan.streams.size(); ++i) {
        if (is_stream_written(plan, static_cast<int>(i))) {
            known.push_back(plan.streams[i].name);
        }
    }
    for (const std::string& name : names) {
        const SourceLocation place("--stream", 0, 0);
        if (!contains(known, name)) {
            problems.error(place, name, "unknown stream" + hint(name, known));
            continue;
        }
        const auto stream = static_cast<int>(find_named(plan.streams, name) - plan.streams.data());
        if (contains(streams, stream)) {
            problems.error(place, name, "is asked for more than once");
        } else {
            streams.push_back(stream);
        }
    }
    return streams;
}

int texts_behind(const Plan& plan, int targets) {
    while (targets >= 0 && plan.stream(targets).producer >= 0) {
        const std::vector<int> read = plan.node(plan.stream(targets).producer).read_streams();
        targets = read.empty() ? -1 : read.front();
    }
    return targets >= 0 && plugin::is_text(plan.stream(targets).element) &&
                   is_stream_written(plan, targets)
               ? targets
               : -1;
}

std::vector<SampleNames> sample_names(const Plan& plan) {
    const Node& task = plan.tasks.front();
    std::vector<SampleNames> found;
    for (const Binding& output : task.outputs) {
        if (output.stream >= 0 && task.port(output).purpose == plugin::Purpose::kFiles) {
            const std::string& name = output.name;
            const bool is_plural = name.size() > 1 && name.ends_with('s');
            found.push_back({output.stream, name.substr(0, name.size() - (is_plural ? 1 : 0))});
        }
    }
    return found;
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

// Finds what something is computed from: the streams of a prediction, the components before one,
// the stream of the task that an input can only mean.

#include "pipeline/evaluate.hpp"
#include "pipeline/prediction.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/wiring.hpp"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

namespace ptp::pipeline {

std::set<int> needed_streams(const Plan& plan, std::set<int> needed) {
    for (const Node& node : std::views::reverse(plan.nodes)) {
        const std::vector<int> written = node.written_streams();
        if (std::ranges::any_of(written, [&](int stream) { return needed.contains(stream); })) {
            const std::vector<int> read = node.read_streams();
            needed.insert(read.begin(), read.end());
        }
    }
    return needed;
}

std::set<int> needed_streams(const Plan& plan, const Prediction& prediction) {
    std::set<int> predicted;
    for (const PredictedStream& one : prediction.streams) {
        predicted.insert(one.stream);
    }
    return needed_streams(plan, std::move(predicted));
}

std::set<const Draft*> sources_of(const Assembly& assembly, const Draft& draft) {
    std::set<const Draft*> found;
    std::vector<const Draft*> waiting = {&draft};
    while (!waiting.empty()) {
        const Draft& next = *waiting.back();
        waiting.pop_back();
        for (const Binding& input : next.node.inputs) {
            if (input.stream < 0) {
                continue;
            }
            const WiredStream& stream = assembly.stream(input.stream);
            for (const Writer& writer : stream.writers) {
                const Draft& source = assembly.writer(stream, writer);
                if (!stream.is_of_tasks && found.insert(&source).second) {
                    waiting.push_back(&source);
                }
            }
        }
    }
    return found;
}

namespace {

// The input of a component, or of the first of its layers where it takes what that takes.
struct Reading {
    const Node& node;
    const plugin::Port& port;
};

Reading reading_of(const Draft& draft, const Binding& binding) {
    const plugin::Port& port = draft.port(binding);
    const Draft* const layer = draft.inner == nullptr || draft.inner->components.empty()
                                   ? nullptr
                                   : &draft.inner->components.front();
    const bool is_of_layer = port.element == plugin::Element::kAny && layer != nullptr &&
                             layer->is_sound && layer->node.inputs.size() == 1;
    return is_of_layer ? Reading{layer->node, layer->port(layer->node.inputs.front())}
                       : Reading{draft.node, port};
}

std::ptrdiff_t reader_count(const Assembly& assembly, const std::string& stream) {
    return std::ranges::count_if(assembly.components, [&](const Draft& draft) {
        return std::ranges::any_of(
            draft.node.inputs, [&](const Binding& input) { return input.wire.stream == stream; });
    });
}

// Returns whether another model or transform writes such elements that nothing reads.
bool has_other_source(const Assembly& assembly, const Draft& reader, plugin::Element element) {
    return std::ranges::any_of(assembly.components, [&](const Draft& draft) {
        const plugin::Kind kind = draft.node.component->kind;
        return &draft != &reader &&
               (kind == plugin::Kind::kModel || kind == plugin::Kind::kTransform) &&
               std::ranges::any_of(draft.node.outputs, [&](const Binding& output) {
                   return draft.port(output).element == element &&
                          reader_count(assembly, output.wire.stream) == 0;
               });
    });
}

}  // namespace

std::string only_task_stream(const Assembly& assembly, const Draft& draft, const Binding& binding) {
    const auto [node, port] = reading_of(draft, binding);
    const Shape wanted = shape_of(port, checked_settings(node));
    // A loss or statistic reads predictions, too, which have more than one dimension. A stream that
    // several components read is not made yet.
    const bool may_read =
        (!draft.node.compares() || (wanted && wanted->size() == 1)) &&
        reader_count(assembly, binding.wire.stream) == 1 &&
        (draft.node.compares() || !has_other_source(assembly, draft, port.element));
    std::string found;
    for (const TargetStream& one : target_streams(assembly)) {
        if (!may_read || reader_count(assembly, one.name) > 0 || one.element != port.element ||
            one.element == plugin::Element::kInteger ||
            (wanted && wanted->size() != one.shape.size())) {
            continue;
        }
        if (!found.empty()) {
            return "";
        }
        found = one.name;
    }
    return found;
}

}  // namespace ptp::pipeline

// Outputs and globals that do not exist because of one setting.

#include "pipeline/evaluate.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace ptp::pipeline {

namespace {

// Returns the change with which the component has an output or a global of this name.
std::string change_for(const Draft& draft, const std::string& name, Source what) {
    const Node& node = draft.node;
    std::string change;
    if (what == Source::kStream) {
        change = change_to_have(node, plugin::Direction::kOutput, name,
                                [](const plugin::Port&, const Settings&) { return true; });
    }
    for (const plugin::Global& global : node.component->globals) {
        if (what == Source::kGlobal && global.is_written() && global.name == name &&
            change.empty()) {
            change = change_to_hold(parse_condition(global.when), {*node.component, node.settings},
                                    node.path);
        }
    }
    return change.empty()
               ? ""
               : fmt::format("{}: {} has '{}' only then", change, node.component->name, name);
}

}  // namespace

std::string setting_to_have(const Assembly& assembly, const std::string& name, Source what) {
    for (const auto* drafts : {&assembly.tasks, &assembly.components}) {
        for (const Draft& draft : *drafts) {
            std::string found = draft.is_sound ? change_for(draft, name, what) : "";
            if (!found.empty()) {
                return found;
            }
        }
    }
    return "";
}

bool reads_words(const Node& node) {
    return std::ranges::any_of(node.component->ports, [](const plugin::Port& port) {
        return port.direction == plugin::Direction::kInput &&
               port.element == plugin::Element::kTokens;
    });
}

std::string vocabulary_to_have(const Assembly& assembly, const std::string& name) {
    for (const Draft& task : assembly.tasks) {
        if (!task.is_sound || task.node.globals.contains(kVocabulary)) {
            continue;
        }
        const Settings settings{*task.node.component, task.node.settings};
        for (const plugin::Global& global : task.node.component->globals) {
            const Condition& when = parse_condition(global.when);
            const std::string change = change_to_hold(when, settings, task.node.path);
            const bool may_have = holds(when, settings) || !change.empty();
            if (global.name == kVocabulary && global.is_written() && may_have) {
                return fmt::format("{}write globals = {{ {} = \"{}\" }} in {}",
                                   change.empty() ? "" : change + " and ", kVocabulary, name,
                                   task.node.path);
            }
        }
    }
    return "";
}

std::vector<TargetStream> target_streams(const Assembly& assembly) {
    std::vector<TargetStream> found;
    if (assembly.tasks.empty()) {
        return found;
    }
    const Draft& task = assembly.tasks.front();
    const auto is_computed_with = [&](const std::string& stream) {
        return std::ranges::any_of(assembly.components, [&](const Draft& draft) {
            const plugin::Kind kind = draft.node.component->kind;
            return (kind == plugin::Kind::kModel || kind == plugin::Kind::kTransform) &&
                   std::ranges::find(draft.inputs, stream, &Wire::stream) != draft.inputs.end();
        });
    };
    for (std::size_t i = 0; i < task.outputs.size(); ++i) {
        const std::string& name = task.outputs[i].stream;
        const plugin::Port& port = task.port(task.node.outputs[i]);
        const auto shape =
            expand(parse_shape(port.shape), {*task.node.component, task.node.settings});
        if (shape && !name.empty() && !is_computed_with(name)) {
            found.push_back({name, port.element, *shape});
        }
    }
    return found;
}

}  // namespace ptp::pipeline

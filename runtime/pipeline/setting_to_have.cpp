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
std::string change_to_have(const Draft& draft, const std::string& name, Source what) {
    const Settings settings{*draft.node.component, draft.node.settings};
    const auto change = [&](const std::string& declared, const std::string& when) {
        const std::string found =
            declared == name ? change_to_hold(parse_condition(when), settings, draft.node.path)
                             : "";
        return found.empty() ? ""
                             : fmt::format("{}: {} has '{}' only then", found,
                                           draft.node.component->name, name);
    };
    if (what == Source::kGlobal) {
        for (const plugin::Global& global : draft.node.component->globals) {
            std::string found = global.is_written() ? change(global.name, global.when) : "";
            if (!found.empty()) {
                return found;
            }
        }
        return "";
    }
    for (const plugin::Port& port : draft.node.component->ports) {
        const bool is_output = port.direction == plugin::Direction::kOutput;
        std::string found = is_output ? change(port.name, port.when) : "";
        if (!found.empty()) {
            return found;
        }
    }
    return "";
}

}  // namespace

std::string setting_to_have(const Assembly& assembly, const std::string& name, Source what) {
    for (const auto* drafts : {&assembly.tasks, &assembly.components}) {
        for (const Draft& draft : *drafts) {
            std::string found = draft.is_sound ? change_to_have(draft, name, what) : "";
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

// Outputs and globals that do not exist because of one setting.

#include "pipeline/evaluate.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

// The only term of a condition that does not hold, where one value makes it hold.
std::optional<Term> only_failing(const std::string& when, const Settings& settings) {
    std::vector<Term> failing;
    for (const Term& term : parse_condition(when).terms) {
        if (!holds(Condition{{term}}, settings)) {
            failing.push_back(term);
        }
    }
    const bool is_clear =
        failing.size() == 1 &&
        (failing[0].is_negated ? failing[0].values.empty() : failing[0].values.size() <= 1);
    return is_clear ? std::optional(failing[0]) : std::nullopt;
}

std::string change_text(const Node& node, const Term& term, const std::string& name) {
    const std::string change =
        term.is_negated ? fmt::format("remove {} from {}", term.setting, node.path)
        : term.values.empty()
            ? fmt::format("set {} in {}", term.setting, node.path)
            : fmt::format("set {}.{} = \"{}\"", node.path, term.setting, term.values.front());
    return fmt::format("{}: {} has '{}' only then", change, node.component->name, name);
}

// Of what the component declares.
std::string change_to_have(const Draft& draft, const std::string& name, Source what) {
    const Settings settings{*draft.node.component, draft.node.settings};
    const auto change = [&](const std::string& declared, const std::string& when) {
        const auto term = declared == name ? only_failing(when, settings) : std::nullopt;
        return term ? change_text(draft.node, *term, name) : "";
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

// Suggests what to do about an input that takes other elements than its stream carries: numbers in
// place of classes, and classes in place of numbers.

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Element;

struct Mistaken {
    const Assembly& assembly;
    const Draft& draft;
    const Binding& binding;
    const WiredStream& stream;
};

// Returns "set pipeline.loss.type = "HuberLoss" (or L1Loss or MSELoss)", a component of the same
// kind that takes what the stream carries.
std::string other_type(const Mistaken& of, std::size_t rank) {
    const Node& node = of.draft.node;
    std::vector<std::string> names =
        comparing(*of.assembly.catalog, node.component->kind, of.draft.port(of.binding).name,
                  {of.stream.element, rank});
    std::erase(names, node.component->name);
    if (names.empty()) {
        return "";
    }
    const std::string first = names.front();
    names.erase(names.begin());
    return fmt::format("set {}.type = \"{}\"{}", node.path, first,
                       names.empty() ? "" : fmt::format(" (or {})", joined(names, "or")));
}

// Returns the stream of a task's targets of this element; "" if there is none.
std::string targets_of_tasks(const Assembly& assembly, Element element) {
    for (const Draft& task : assembly.tasks) {
        const Binding* const targets = task.node.output_for(plugin::Purpose::kTargets);
        if (targets != nullptr && task.port(*targets).element == element) {
            return targets->wire.stream;
        }
    }
    return "";
}

// Returns how the input gets the classes of the task.
std::string fix_by_classes(const Mistaken& of) {
    const std::string targets = targets_of_tasks(of.assembly, Element::kInteger);
    if (!targets.empty() && targets != of.stream.name) {
        return fmt::format("{} in {}", stream_renaming_text(of.draft, of.binding, targets),
                           of.draft.node.path);
    }
    for (const Draft& task : of.assembly.tasks) {
        const auto& settings = task.node.component->settings;
        const auto* const label = plugin::find_purpose(settings, plugin::Purpose::kLabelColumn);
        if (label != nullptr && checked_settings(task.node).find(label->name) == nullptr) {
            return fmt::format(
                "name their column by {}.{}, and {} in {}", task.node.path, label->name,
                stream_renaming_text(of.draft, of.binding, of.draft.port(of.binding).name),
                of.draft.node.path);
        }
    }
    return "";
}

// Returns whether a port exists because of this setting.
bool is_port_of(const plugin::Port& port, const plugin::Setting& setting) {
    return std::ranges::any_of(parse_condition(port.when).terms,
                               [&](const Term& term) { return term.setting == setting.name; });
}

// Returns how the numbers of a column are read as numbers, where the task has read the column as
// classes.
std::string fix_by_values(const Mistaken& of) {
    for (const Draft& task : of.assembly.tasks) {
        const auto& settings = task.node.component->settings;
        const auto* const label = plugin::find_purpose(settings, plugin::Purpose::kLabelColumn);
        const auto* const values = plugin::find_purpose(settings, plugin::Purpose::kValueColumns);
        const Value* const column =
            label == nullptr ? nullptr : checked_settings(task.node).find(label->name);
        if (values == nullptr || column == nullptr || !column->is_string()) {
            continue;
        }
        for (const plugin::Port& port : task.node.component->ports) {
            if (is_port_of(port, *values) && port.element == of.draft.port(of.binding).element) {
                return fmt::format("write {} = [{}] in place of {} in {}, and {} in {}",
                                   values->name, inline_toml(*column), label->name, task.node.path,
                                   stream_renaming_text(of.draft, of.binding, port.name),
                                   of.draft.node.path);
            }
        }
    }
    return "";
}

std::string either(const std::string& classes, const std::string& numbers) {
    std::string text = classes.empty() ? "" : "to compare classes, " + classes;
    if (!numbers.empty()) {
        text += (text.empty() ? "to compare numbers, " : "; to compare numbers, ") + numbers;
    }
    return text;
}

}  // namespace

std::string fix_of_element(const Assembly& assembly, const Draft& draft, const Binding& binding) {
    const Mistaken of{assembly, draft, binding, assembly.stream(binding.stream)};
    const Element wanted = draft.port(binding).element;
    const std::string change =
        change_to_have(draft.node, plugin::Direction::kInput, draft.port(binding).name,
                       [&](const plugin::Port& port, const Settings&) {
                           return port.element == of.stream.element;
                       });
    const plugin::Kind kind = draft.node.component->kind;
    if (!change.empty() || (kind != plugin::Kind::kLoss && kind != plugin::Kind::kStatistic)) {
        return change;
    }
    if (wanted == Element::kInteger && of.stream.element == Element::kFloating) {
        return either(fix_by_classes(of), other_type(of, 2));
    }
    if (wanted == Element::kFloating && of.stream.element == Element::kInteger) {
        return either(other_type(of, 1), fix_by_values(of));
    }
    return "";
}

std::string fix_by_numbers(const Assembly& assembly, const Draft& draft, const Binding& binding) {
    const Node& node = draft.node;
    const plugin::Kind kind = node.component->kind;
    if ((kind != plugin::Kind::kLoss && kind != plugin::Kind::kStatistic) ||
        draft.port(binding).element != Element::kInteger) {
        return "";
    }
    for (const Draft& task : assembly.tasks) {
        const auto* const values =
            plugin::find_purpose(task.node.component->settings, plugin::Purpose::kValueColumns);
        for (const Binding& output : task.node.outputs) {
            if (values == nullptr || output.wire.stream.empty() ||
                !is_port_of(task.port(output), *values)) {
                continue;
            }
            const std::vector<std::string> types =
                comparing(*assembly.catalog, kind, binding.name, {Element::kFloating, 2});
            return types.empty()
                       ? ""
                       : fmt::format("set {}.type = \"{}\", and {} in {}", node.path, types.front(),
                                     stream_renaming_text(draft, binding, output.wire.stream),
                                     node.path);
        }
    }
    return "";
}

}  // namespace ptp::pipeline

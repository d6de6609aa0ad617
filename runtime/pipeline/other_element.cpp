// Suggests what to do about an input that takes other elements than its stream carries: numbers in
// place of classes, and classes in place of numbers.

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/task_data.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Element;

struct Mistaken {
    const Assembly& assembly;
    const Draft& draft;
    const Binding& binding;
    const WiredStream& stream;
    bool is_repeated;
};

// Returns what changes besides, where the targets become others; once for all that read them.
std::string besides(const Mistaken& of, TargetKind targets, const std::string& to, Value scores,
                    std::string type = "") {
    if (of.is_repeated) {
        return "";
    }
    return changes_beside(of.assembly,
                          {targets, of.draft, type.empty() ? of.draft.node.component->name : type,
                           of.stream.name, to, std::move(scores)});
}

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

// Returns whether the loss or statistic compares a score with a 1 or a 0.
bool takes_answers(const Node& node) {
    return std::ranges::any_of(node.inputs, [&](const Binding& input) {
        const plugin::Port& port = node.port(input);
        return port.element == Element::kFloating && port.purpose != plugin::Purpose::kTargets &&
               !port.meaning.empty() && !takes_numbers(port);
    });
}

// Returns the settings with which all tasks have a 1 or a 0 for two classes as targets,
// "set training.task.binary = true"; "" where a task has none.
std::string fix_by_answers(const Mistaken& of, const std::string& type = "") {
    std::string fix;
    for (const Draft& task : of.assembly.tasks) {
        const std::string change = change_to_have(
            task.node, plugin::Direction::kOutput, of.draft.port(of.binding).name,
            [](const plugin::Port& port, const Settings&) { return is_yes_or_no(port); });
        if (change.empty()) {
            return "";
        }
        fix += (fix.empty() ? "" : ", and ") + change;
    }
    return fix + besides(of, TargetKind::kAnswers, of.stream.name, 1, type);
}

// Returns the port by which a task writes the stream as a 1 or a 0: for two classes, or for each
// of them; nullptr if none does.
const plugin::Port* answers_in(const Mistaken& of) {
    for (const Draft& task : of.assembly.tasks) {
        const plugin::Port* const answers = answers_of(task.node);
        const bool writes = std::ranges::any_of(task.node.outputs, [&](const Binding& output) {
            return output.wire.stream == of.stream.name && &task.port(output) == answers;
        });
        if (writes) {
            return answers;
        }
    }
    return nullptr;
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

// Returns the only column that a setting names; nullptr if it names none, or several.
const Value* only_column(const Node& task, const plugin::Setting& setting) {
    const Value* const value = checked_settings(task).find(setting.name);
    const Value* const one = value != nullptr && value->is_list() && value->items().size() == 1
                                 ? &value->items().front()
                                 : value;
    return one != nullptr && one->is_string() ? one : nullptr;
}

// Returns how all tasks read the column of one setting by another, and what changes besides: "if
// 'price' has them, write values = ["price"] in place of label in training.task, ...".
std::string fix_by_column(const Mistaken& of, plugin::Purpose from, plugin::Purpose to) {
    const Draft& first = of.assembly.tasks.front();
    const plugin::Component& component = *first.node.component;
    const auto* const old = plugin::find_purpose(component.settings, from);
    const auto* const other = plugin::find_purpose(component.settings, to);
    const Value* const column =
        old == nullptr || other == nullptr ? nullptr : only_column(first.node, *old);
    const auto port = std::ranges::find_if(component.ports, [&](const plugin::Port& one) {
        return other != nullptr && names_setting(one.when, other->name) &&
               one.element == of.draft.port(of.binding).element;
    });
    if (column == nullptr || port == component.ports.end()) {
        return "";
    }
    std::vector<std::string> tasks;
    for (const Draft& task : of.assembly.tasks) {
        if (task.node.component == &component) {
            tasks.push_back(task.node.path);
        }
    }
    const bool are_classes = to == plugin::Purpose::kLabelColumn;
    const auto* const count = plugin::find_purpose(component.globals, plugin::Purpose::kClassCount);
    return fmt::format(
        "if '{}' has them, write {} = {} in place of {} in {}, and {} in {}{}", column->as_string(),
        other->name, inline_toml(other->list_depth > 0 ? Value::list({*column}) : *column),
        old->name, joined(tasks), stream_renaming_text(of.draft.node, of.binding, port->name),
        of.draft.node.path,
        are_classes ? besides(of, TargetKind::kClasses, port->name,
                              count == nullptr ? Value() : Value(count->name))
                    : besides(of, TargetKind::kNumbers, port->name, 1));
}

// Returns how the input gets the classes of the task.
std::string fix_by_classes(const Mistaken& of) {
    const std::string targets = targets_of_tasks(of.assembly, Element::kInteger);
    if (!targets.empty() && targets != of.stream.name) {
        return fmt::format("{} in {}", stream_renaming_text(of.draft.node, of.binding, targets),
                           of.draft.node.path);
    }
    std::vector<std::string> tasks;
    std::string label;
    for (const Draft& task : of.assembly.tasks) {
        const auto* const setting =
            plugin::find_purpose(task.node.component->settings, plugin::Purpose::kLabelColumn);
        if (setting != nullptr && checked_settings(task.node).find(setting->name) == nullptr) {
            tasks.push_back(task.node.path);
            label = setting->name;
        }
    }
    if (tasks.empty()) {
        return "";
    }
    const std::string fix =
        fix_by_column(of, plugin::Purpose::kValueColumns, plugin::Purpose::kLabelColumn);
    return fix.empty()
               ? fmt::format("name their column by {} in {}, and {} in {}", label, joined(tasks),
                             stream_renaming_text(of.draft.node, of.binding,
                                                  of.draft.port(of.binding).name),
                             of.draft.node.path)
               : fix;
}

// Returns a component of the same kind that compares scores with a 1 or a 0, where those are the
// targets.
std::string fix_for_answers(const Mistaken& of, const plugin::Port& answers) {
    const Node& node = of.draft.node;
    const std::string count =
        of.assembly.tasks.front().node.global_for(plugin::Purpose::kClassCount);
    const std::vector<std::string> names = comparing_answers(
        *of.assembly.catalog, node.component->kind, of.draft.port(of.binding).name);
    const std::string scores =
        change_of_scores(of.assembly, of.draft, is_yes_or_no(answers) ? Value(1) : Value(count));
    return names.empty() ? ""
                         : fmt::format("set {}.type = \"{}\"{}{}", node.path, names.front(),
                                       scores.empty() || of.is_repeated ? "" : ", and ",
                                       of.is_repeated ? "" : scores);
}

// Returns the targets that a transform makes in place of this stream, if the input takes their
// form; "" if there are none.
std::string replaced_targets(const Mistaken& of) {
    for (const Draft& draft : of.assembly.components) {
        const Binding* const before = draft.node.input_for(plugin::Purpose::kTargets);
        const Binding* const made = draft.node.output_for(plugin::Purpose::kTargets);
        if (draft.node.component->kind == plugin::Kind::kTransform && before != nullptr &&
            made != nullptr && before->stream == of.binding.stream &&
            draft.port(*made).element == of.draft.port(of.binding).element) {
            return made->wire.stream;
        }
    }
    return "";
}

// Returns the loss for targets that a transform has made, "set pipeline.loss.type = TYPE"; "" for
// other streams.
std::string fix_for_made(const Mistaken& of) {
    const Node& node = of.draft.node;
    for (const Draft& draft : of.assembly.components) {
        const Binding* const made = draft.node.output_for(plugin::Purpose::kTargets);
        const auto shape = made == nullptr || made->stream != of.binding.stream
                               ? std::nullopt
                               : shape_of(draft.port(*made), checked_settings(draft.node));
        if (shape && node.component->kind == plugin::Kind::kLoss &&
            draft.node.component->kind == plugin::Kind::kTransform) {
            const std::string type = loss_of_targets(*of.assembly.catalog, node, of.binding.name,
                                                     {of.stream.element, shape->size()});
            return type.empty() ? "" : fmt::format("set {}.type = \"{}\"", node.path, type);
        }
    }
    return "";
}

// Returns how the input reads what transforms make of these texts or words, if it takes that; ""
// if there is nothing.
std::string fix_by_made(const Mistaken& of) {
    std::set<std::string> made = {of.stream.name};
    for (bool grows = plugin::is_text(of.stream.element); std::exchange(grows, false);) {
        for (const Draft& draft : of.assembly.components) {
            const bool reads = std::ranges::any_of(draft.node.inputs, [&](const Binding& input) {
                return made.contains(input.wire.stream);
            });
            if (!reads || draft.node.component->kind != plugin::Kind::kTransform ||
                &draft == &of.draft || sources_of(of.assembly, draft).contains(&of.draft)) {
                continue;
            }
            for (const Binding& output : draft.node.outputs) {
                const std::string& name = output.wire.stream;
                if (!name.empty() &&
                    draft.port(output).element == of.draft.port(of.binding).element) {
                    return fmt::format("{} in {}",
                                       stream_renaming_text(of.draft.node, of.binding, name),
                                       of.draft.node.path);
                }
                grows = (plugin::is_text(draft.port(output).element) && made.insert(name).second) ||
                        grows;
            }
        }
    }
    return "";
}

// Returns how the input reads what another component makes of the stream.
std::string fix_by_adding(const Mistaken& of, const std::string& type, const std::string& what) {
    const std::string made = of.stream.name + "_" + what;
    return fmt::format(
        "add a {} with streams = {{ inputs = \"{}\", outputs = \"{}\" }}, and {} in {}", type,
        of.stream.name, made, stream_renaming_text(of.draft.node, of.binding, made),
        of.draft.node.path);
}

// Returns how words become the indices that the input takes: by another component of a type that
// makes indices of others already; "" if there is none.
std::string fix_by_indices(const Mistaken& of) {
    const std::string path = of.draft.node.path;
    const Draft* model = nullptr;  // of the component to add
    for (const Draft& draft : of.assembly.components) {
        const auto reads_words = [&](const Binding& input) {
            return draft.port(input).element == Element::kTokens;
        };
        const auto words = std::ranges::find_if(draft.node.inputs, reads_words);
        const auto indices =
            std::ranges::find(draft.node.outputs, Element::kInteger,
                              [&](const Binding& output) { return draft.port(output).element; });
        if (words == draft.node.inputs.end() || indices == draft.node.outputs.end()) {
            continue;
        }
        model = model == nullptr ? &draft : model;
    }
    return model == nullptr ? "" : fix_by_adding(of, model->node.component->name, "indices");
}

// Returns both ways in which a loss or statistic that compares scores with a 1 or a 0 gets them.
std::string for_answers_or_classes(const std::string& answers, const std::string& classes) {
    return "for two classes with one score, " + answers +
           (classes.empty() ? "" : "; for scores of classes, " + classes);
}

std::string either(const std::string& classes, const std::string& numbers) {
    std::string text = classes.empty() ? "" : "to compare classes, " + classes;
    if (!numbers.empty()) {
        text += (text.empty() ? "to compare numbers, " : "; to compare numbers, ") + numbers;
    }
    return text;
}

}  // namespace

std::string fix_of_element(const Assembly& assembly, const WrongElement& wrong) {
    const auto& [draft, binding, is_repeated] = wrong;
    const Mistaken of{assembly, draft, binding, assembly.stream(binding.stream), is_repeated};
    const Element wanted = draft.port(binding).element;
    const std::string change = change_to_take(draft, binding, of.stream.element);
    const bool compares = draft.node.compares();
    const bool takes_others =
        wanted == Element::kFloating && of.stream.element == Element::kInteger;
    const bool may_take_answers = takes_answers(draft.node) || !change.empty();
    const std::string answers =
        compares && takes_others && may_take_answers ? fix_by_answers(of) : "";
    if (!change.empty()) {
        return answers.empty() ? change : for_answers_or_classes(answers, change);
    }
    if (const std::string made = compares ? replaced_targets(of) : ""; !made.empty()) {
        return fmt::format("{} in {}", stream_renaming_text(draft.node, binding, made),
                           draft.node.path);
    }
    std::string fix = compares ? fix_for_made(of) : "";
    if (fix.empty()) {
        fix = fix_by_made(of);
    }
    if (fix.empty() && wanted == Element::kInteger && of.stream.element == Element::kTokens) {
        fix = fix_by_indices(of);
    }
    if (fix.empty() && wanted == Element::kTokens && of.stream.element == Element::kString) {
        const std::string type = transform_between(*of.assembly.catalog, {Element::kString, 1},
                                                   {Element::kTokens, 1}, false);
        fix = type.empty() ? "" : fix_by_adding(of, type, "words");
    }
    if (!fix.empty() || !compares) {
        return fix;
    }
    const plugin::Port* const written = answers_in(of);
    if (wanted == Element::kInteger && written != nullptr) {
        return fix_for_answers(of, *written);
    }
    if (wanted == Element::kInteger && of.stream.element == Element::kFloating) {
        return either(fix_by_classes(of), other_type(of, 2));
    }
    if (takes_others) {
        const std::string classes = other_type(of, 1);
        return answers.empty() ? either(classes, fix_by_column(of, plugin::Purpose::kLabelColumn,
                                                               plugin::Purpose::kValueColumns))
                               : for_answers_or_classes(answers, classes);
    }
    return "";
}

std::string fix_of_single_score(const Assembly& assembly, const Draft& draft) {
    const Node& node = draft.node;
    const Binding* const targets = node.input_for(plugin::Purpose::kTargets);
    if (node.component->kind != plugin::Kind::kLoss || targets == nullptr ||
        !assembly.stream(targets->stream).is_of_tasks) {
        return "";
    }
    const Mistaken of{assembly, draft, *targets, assembly.stream(targets->stream), false};
    const std::string count = assembly.tasks.front().node.global_for(plugin::Purpose::kClassCount);
    const std::string classes = count.empty() ? "" : change_of_scores(assembly, draft, count);
    const auto types = comparing_answers(*assembly.catalog, node.component->kind, targets->name);
    const std::string answers = types.empty() ? "" : fix_by_answers(of, types.front());
    std::string fix = classes.empty() ? "" : "for a score of each class, " + classes;
    if (!answers.empty()) {
        fix += fmt::format("{}for two classes with one score, set {}.type = \"{}\", and {}",
                           fix.empty() ? "" : "; ", node.path, types.front(), answers);
    }
    return fix;
}

}  // namespace ptp::pipeline

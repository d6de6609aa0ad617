// Finds what else of an experiment changes with the targets that a loss or a statistic compares:
// the others that read them, and the number of scores; and statistics that take scores for numbers.

#include "base/toml_writer.hpp"
#include "pipeline/clash.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/meaning.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/task_data.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Element;
using plugin::Kind;

// Returns the first component of the kind that compares such targets; "" if there is none.
std::string type_for(const plugin::Catalog& catalog, TargetKind targets, Kind kind,
                     const std::string& port) {
    const Form form =
        targets == TargetKind::kClasses ? Form{Element::kInteger, 1} : Form{Element::kFloating, 2};
    const auto names = targets == TargetKind::kAnswers ? comparing_answers(catalog, kind, port)
                                                       : comparing(catalog, kind, port, form);
    return names.empty() ? "" : names.front();
}

// Returns the changes of the losses and statistics beside the reader that compare the targets that
// it reads. Two statistics of one type would have columns of one name.
std::vector<std::string> changes_of_others(const Assembly& assembly, const OtherTargets& change) {
    std::vector<std::string> changes;
    std::vector<std::string> taken = {change.type};
    for (const Draft& draft : assembly.components) {
        const Node& node = draft.node;
        for (const Binding& input : node.inputs) {
            if (&draft == &change.reader || !node.compares() || input.stream < 0 ||
                assembly.stream(input.stream).name != change.from ||
                draft.port(input).element != assembly.stream(input.stream).element) {
                continue;
            }
            const std::string type =
                type_for(*assembly.catalog, change.targets, node.component->kind, input.name);
            if (type.empty() || contains(taken, type)) {
                changes.push_back(fmt::format("set {}.enabled = false", node.path));
                continue;
            }
            taken.push_back(type);
            changes.push_back(fmt::format("set {}.type = \"{}\"", node.path, type));
            if (change.to != change.from) {
                changes.push_back(fmt::format(
                    "{} in {}", stream_renaming_text(draft.node, input, change.to), node.path));
            }
        }
    }
    return changes;
}

// Returns the component that makes the scores of a reader, behind transforms of one input; nullptr
// where a task has them.
const Draft* maker_of_scores(const Assembly& assembly, const Draft& reader) {
    const auto source = [&](const Draft& draft, const auto& is_it) -> const Draft* {
        const auto input = std::ranges::find_if(draft.node.inputs, is_it);
        if (input == draft.node.inputs.end() || assembly.stream(input->stream).is_of_tasks) {
            return nullptr;
        }
        const WiredStream& stream = assembly.stream(input->stream);
        return stream.writers.empty() ? nullptr : &assembly.writer(stream, stream.writers.front());
    };
    const Draft* maker = source(reader, [&](const Binding& input) {
        const plugin::Port& port = reader.port(input);
        return input.stream >= 0 && port.element == Element::kFloating &&
               port.purpose != plugin::Purpose::kTargets && !port.is_optional;
    });
    for (std::size_t i = 0; maker != nullptr && i < assembly.components.size() &&
                            maker->node.component->kind == Kind::kTransform;
         ++i) {
        maker = maker->node.inputs.size() != 1
                    ? nullptr
                    : source(*maker, [](const Binding& input) { return input.stream >= 0; });
    }
    return maker;
}

// Returns whether there are as many scores; a number above 1 may be that of the classes.
bool are_as_many(const Value& scores, const Value& count) {
    return scores == count || (count.is_string() && scores.is_integer() && scores.as_integer() > 1);
}

// Returns the change of the setting of the last layer that decides a size of its output; "" where
// it has this value.
std::string change_of_last_layer(const std::vector<Draft>& layers, const Value& count) {
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        const Settings settings = checked_settings(layer->node);
        for (const Binding& output : layer->node.outputs) {
            const Shape shape = shape_of(layer->port(output), settings);
            const bool is_decided = shape && !shape->empty() && !shape->back().setting.empty();
            const Value* const now = is_decided ? settings.find(shape->back().setting) : nullptr;
            if (now != nullptr) {
                return are_as_many(*now, count)
                           ? ""
                           : fmt::format("set {}.{} = {}", layer->node.path, shape->back().setting,
                                         inline_toml(count));
            }
        }
    }
    return "";
}

// Returns the change with which the component makes as many scores; "" where it does.
std::string change_of_count(const Draft& maker, const Value& count) {
    const auto* const declared =
        plugin::find_purpose(maker.node.component->globals, plugin::Purpose::kScoreCount);
    if (declared == nullptr) {
        return maker.inner == nullptr ? "" : change_of_last_layer(maker.inner->components, count);
    }
    const auto constant = maker.node.constants.find(declared->name);
    const auto global = maker.node.globals.find(declared->name);
    const bool has_it =
        (constant != maker.node.constants.end() && are_as_many(constant->second, count)) ||
        (global != maker.node.globals.end() && Value(global->second) == count);
    return has_it ? ""
                  : fmt::format("write globals = {{ {} = {} }} in {}", toml_key(declared->name),
                                inline_toml(count), maker.node.path);
}

// Returns the switch with which it writes raw scores in place of log-probabilities; "" where it
// does, or there is none.
std::string change_to_scores(const Node& maker) {
    for (const Binding& output : maker.outputs) {
        const plugin::Port& port = maker.port(output);
        if (contains(meanings_of(port, checked_settings(maker)), "log_probabilities")) {
            return switch_to_write(maker, port, {"scores"});
        }
    }
    return "";
}

}  // namespace

std::string change_of_scores(const Assembly& assembly, const Draft& reader, const Value& count) {
    const Draft* const maker = maker_of_scores(assembly, reader);
    if (maker == nullptr) {
        return "";
    }
    const std::string change = change_of_count(*maker, count);
    const std::string scores = count.is_integer() ? change_to_scores(maker->node) : "";
    return change + (change.empty() || scores.empty() ? "" : ", and ") + scores;
}

namespace {

// Returns whether the node reads floating targets of the stream, and of `predictions` what `is_it`.
template <class IsIt>
bool compares_numbers(const Node& node, int targets, int predictions, const IsIt& is_it) {
    const Binding* const right = node.input_for(plugin::Purpose::kTargets);
    return right != nullptr && right->stream == targets &&
           node.port(*right).element == Element::kFloating &&
           std::ranges::any_of(node.inputs, [&](const Binding& input) {
               return &input != right && input.stream == predictions && is_it(node.port(input));
           });
}

// Returns whether the port is declared to take raw scores, too.
bool takes_scores(const plugin::Port& port) {
    return std::ranges::any_of(parse_meaning(port.meaning), [](const MeaningClause& clause) {
        return contains(clause.words, "scores");
    });
}

// Returns the loss that reads the same targets and takes the statistic's input for what the
// statistic does not: raw scores for numbers, or the reverse; nullptr if none does, or another loss
// takes it as the statistic does.
const Node* loss_of_others(const Assembly& assembly, const Node& statistic, const Binding& input,
                           bool are_numbers) {
    const Binding* const targets = statistic.input_for(plugin::Purpose::kTargets);
    const Node* found = nullptr;
    for (const Draft& draft : assembly.components) {
        const auto reads = [&](bool numbers) {
            return draft.node.component->kind == Kind::kLoss &&
                   compares_numbers(
                       draft.node, targets->stream, input.stream,
                       [&](const plugin::Port& port) { return takes_numbers(port) == numbers; });
        };
        if (reads(are_numbers)) {
            return nullptr;
        }
        found = found == nullptr && reads(!are_numbers) ? &draft.node : found;
    }
    return found;
}

// Warns of a statistic that takes the raw scores of a loss of answers, which reads the same
// targets, for predicted numbers, and of one that takes predicted numbers for raw scores.
void warn_of_statistic(const Assembly& assembly, const Node& statistic, Diagnostics& problems) {
    const Binding* const targets = statistic.input_for(plugin::Purpose::kTargets);
    for (const Binding& input : statistic.inputs) {
        if (targets == nullptr || &input == targets || input.stream < 0 ||
            statistic.port(input).element != Element::kFloating ||
            statistic.port(*targets).element != Element::kFloating) {
            continue;
        }
        const plugin::Port& port = statistic.port(input);
        const bool are_numbers = takes_numbers(port);
        if (are_numbers && takes_scores(port)) {
            continue;  // such as their order, which is the same for both
        }
        const Node* const loss = loss_of_others(assembly, statistic, input, are_numbers);
        if (loss == nullptr) {
            continue;
        }
        const Node& changed = are_numbers ? statistic : *loss;
        const std::string type =
            type_for(*assembly.catalog, TargetKind::kAnswers, changed.component->kind, input.name);
        const std::string what =
            are_numbers ? fmt::format(
                              "takes '{}' for predicted numbers, and for {} they are raw "
                              "scores: how far these are from the targets says little",
                              input.name, node_text(*loss))
                        : fmt::format(
                              "takes '{}' for raw scores, and for {} they are predicted "
                              "numbers: any above 0 is a score for yes",
                              input.name, node_text(*loss));
        const std::string fix =
            type.empty() ? "" : fmt::format("set {}.type = \"{}\"", changed.path, type);
        pipeline::warn(statistic, Explanation{what, fix}, problems);
    }
}

}  // namespace

void warn_of_scores(const Assembly& assembly, Diagnostics& problems) {
    for (const Draft& draft : assembly.components) {
        if (draft.node.component->kind == Kind::kStatistic) {
            warn_of_statistic(assembly, draft.node, problems);
        }
    }
}

std::string changes_beside(const Assembly& assembly, const OtherTargets& change) {
    std::vector<std::string> changes = changes_of_others(assembly, change);
    const std::string scores = change_of_scores(assembly, change.reader, change.scores);
    if (!scores.empty()) {
        changes.push_back(scores);
    }
    for (const auto* section : experiment::all_sections(*assembly.experiment)) {
        const std::string sampler =
            change.targets == TargetKind::kClasses || !assembly.runs(section->name)
                ? ""
                : sampler_without_classes(*section, change.from);
        if (!sampler.empty()) {
            changes.push_back(sampler);
        }
    }
    std::string text;
    for (const std::string& one : changes) {
        text += ", and " + one;
    }
    return text;
}

std::string fix_by_numbers(const Assembly& assembly, const Draft& draft, const Binding& binding) {
    const Node& node = draft.node;
    if (!node.compares() || draft.port(binding).element != Element::kInteger) {
        return "";
    }
    for (const Draft& task : assembly.tasks) {
        const auto* const values =
            plugin::find_purpose(task.node.component->settings, plugin::Purpose::kValueColumns);
        for (const Binding& output : task.node.outputs) {
            if (values == nullptr || output.wire.stream.empty() ||
                !names_setting(task.port(output).when, values->name)) {
                continue;
            }
            const std::vector<std::string> types = comparing(
                *assembly.catalog, node.component->kind, binding.name, {Element::kFloating, 2});
            return types.empty()
                       ? ""
                       : fmt::format("set {}.type = \"{}\", and {} in {}", node.path, types.front(),
                                     stream_renaming_text(draft.node, binding, output.wire.stream),
                                     node.path);
        }
    }
    return "";
}

}  // namespace ptp::pipeline

// Looks for what a message may suggest: components by the kinds, elements and numbers of dimensions
// of their ports, and settings with which a component has a port or a global.

#include "pipeline/suggestions.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/candidate.hpp"
#include "pipeline/declaration.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::Direction;
using plugin::Element;
using plugin::Kind;
using plugin::Port;

// Calls `is_it` for each sound component of a kind until it holds; nullptr if it holds for none.
template <class Predicate>
const Component* find_component(const plugin::Catalog& catalog, Kind kind, Predicate is_it) {
    for (const Component* component : components_of(catalog)) {
        try {
            if (component->kind == kind && check_declaration(*component).empty() &&
                is_it(*component)) {
                return component;
            }
        } catch (const ComputationError&) {  // it cannot take this form
            continue;
        }
    }
    return nullptr;
}

std::string name_of(const Component* component) {
    return component == nullptr ? "" : component->name;
}

bool needs_settings(const Component& component) {
    return std::ranges::any_of(component.settings, &plugin::Setting::is_required);
}

}  // namespace

std::string set_as_well(const std::string& key, const Value& value) {
    const auto is_set = [](const Value& one) { return one.place().file() == kCommandLine; };
    if (is_set(value)) {
        return schema::typed_value(value.place(), key, inline_toml(value));
    }
    std::string options;
    for (const Member& member : value.is_table() ? value.members() : std::vector<Member>()) {
        const std::string inner =
            set_as_well(schema::below(key, toml_key(member.key)), member.value);
        options += (options.empty() || inner.empty() ? "" : " ") + inner;
    }
    return options;
}

std::string transform_between(const plugin::Catalog& catalog, const Form& form, const Form& wanted,
                              bool keeps_values) {
    const Component* const found =
        find_component(catalog, Kind::kTransform, [&](const Component& component) {
            const Candidate candidate(component);
            const auto inputs = candidate.ports(Direction::kInput);
            if (needs_settings(component) || inputs.size() != 1 ||
                !inputs[0]->streams_setting.empty() ||
                !candidate.carries(*inputs[0], form, form.rank) ||
                !candidate.takes_rank(form.rank)) {
                return false;
            }
            const auto outputs = candidate.ports(Direction::kOutput);
            return std::ranges::any_of(outputs, [&](const Port* output) {
                return candidate.carries(*output, wanted, form.rank) &&
                       (!keeps_values || output->meaning == inputs[0]->name);
            });
        });
    if (found != nullptr || !keeps_values) {
        return name_of(found);
    }
    return name_of(find_component(catalog, Kind::kTransform, [&](const Component& component) {
        return std::ranges::any_of(component.ports, [&](const Port& port) {
            return port.is_reshaped && port.element == wanted.element;
        });
    }));
}

bool takes_rank(const Component& component, std::size_t rank) {
    return Candidate(component).takes_rank(rank);
}

std::string layer_of_rank(const Node& layer, const Form& form) {
    constexpr std::string_view kDimensions = "123";
    std::string name = layer.component->name;
    if (name.size() < 3 || name.back() != 'd' ||
        kDimensions.find(name[name.size() - 2]) == std::string_view::npos) {
        return "";
    }
    const auto fits = [&](const Component& other) {
        const Candidate candidate(other);
        const auto inputs = candidate.ports(Direction::kInput);
        return inputs.size() == 1 && candidate.carries(*inputs[0], form, form.rank) &&
               candidate.takes_rank(form.rank) &&
               std::ranges::all_of(other.settings, [&](const plugin::Setting& setting) {
                   return !setting.is_required ||
                          checked_settings(layer).find(setting.name) != nullptr;
               });
    };
    for (const char digit : kDimensions) {
        name[name.size() - 2] = digit;
        const auto* const other = find_named(layer.plugin->manifest.components, name);
        if (name != layer.component->name && other != nullptr && fits(*other)) {
            return fmt::format("write \"{}\" in place of \"{}\" as {}", name, layer.component->name,
                               layer.path);
        }
    }
    return "";
}

bool takes_numbers(const Port& port) {
    const auto clauses = parse_meaning(port.meaning);
    return clauses.empty() || std::ranges::all_of(clauses, [](const MeaningClause& clause) {
               return contains(clause.words, "probabilities") && contains(clause.words, "values");
           });
}

Compared compared(const std::vector<const Port*>& inputs) {
    if (inputs.size() != 2 || inputs[0]->shape != inputs[1]->shape) {
        return Compared::kClasses;
    }
    const auto count =
        std::ranges::count_if(inputs, [](const Port* input) { return takes_numbers(*input); });
    return count == 2 ? Compared::kNumbers : count == 1 ? Compared::kAnswers : Compared::kClasses;
}

namespace {

std::vector<std::string> names_comparing(const plugin::Catalog& catalog, Kind kind,
                                         std::string_view port, const Form& targets,
                                         Compared what) {
    constexpr std::size_t kShown = 3;
    std::vector<std::string> names;
    find_component(catalog, kind, [&](const Component& component) {
        const Candidate candidate(component);
        const auto inputs = candidate.ports(Direction::kInput);
        const auto reads = [&](const Form& form) {
            return std::ranges::any_of(inputs, [&](const Port* input) {
                return candidate.carries(*input, form, form.rank);
            });
        };
        const bool has_port = std::ranges::count(inputs, port, &Port::name) > 0;
        const bool is_it = what == Compared::kClasses ? compared(inputs) != Compared::kNumbers
                                                      : compared(inputs) == what;
        if (inputs.size() == 2 && has_port && reads(targets) && reads({Element::kFloating, 2}) &&
            is_it) {
            names.push_back(component.name);
        }
        return names.size() == kShown;
    });
    return names;
}

}  // namespace

std::vector<std::string> comparing(const plugin::Catalog& catalog, Kind kind, std::string_view port,
                                   const Form& targets) {
    return names_comparing(
        catalog, kind, port, targets,
        targets.element == Element::kFloating ? Compared::kNumbers : Compared::kClasses);
}

std::vector<std::string> comparing_answers(const plugin::Catalog& catalog, Kind kind,
                                           std::string_view port) {
    return names_comparing(catalog, kind, port, {Element::kFloating, 2}, Compared::kAnswers);
}

std::string loss_of_targets(const plugin::Catalog& catalog, const Node& loss,
                            std::string_view targets, const Form& form) {
    return name_of(find_component(catalog, Kind::kLoss, [&](const Component& component) {
        const Candidate candidate(component);
        const auto inputs = candidate.ports(Direction::kInput);
        const auto fits = [&](const Port* input) {
            const Binding* const own = find_named(loss.inputs, input->name);
            return own != nullptr &&
                   (input->name == targets ? candidate.carries(*input, form, form.rank)
                                           : input->meaning == loss.port(*own).meaning);
        };
        return !needs_settings(component) && inputs.size() == 2 &&
               std::ranges::all_of(inputs, fits);
    }));
}

std::string loss_that_reads(const plugin::Catalog& catalog,
                            const std::vector<WiredStream>& streams) {
    const auto is_offered = [&](const Port* input) {
        return std::ranges::any_of(streams, [&](const WiredStream& stream) {
            return stream.name == input->name && stream.element == input->element;
        });
    };
    return name_of(find_component(catalog, Kind::kLoss, [&](const Component& component) {
        const auto inputs = Candidate(component).ports(Direction::kInput);
        return !needs_settings(component) && !inputs.empty() &&
               std::ranges::all_of(inputs, is_offered);
    }));
}

std::string publisher_of_settings(const plugin::Catalog& catalog) {
    return name_of(find_component(catalog, Kind::kPublisher, [](const Component& component) {
        return std::ranges::any_of(component.globals, [](const plugin::Global& global) {
            return global.is_written() && global.name.starts_with('$');
        });
    }));
}

namespace {

// Returns the change with which the component has an output or a global of this name.
std::string change_for(const Draft& draft, const std::string& name, Source what, Element element) {
    const Node& node = draft.node;
    const bool has_it = std::ranges::any_of(node.outputs, [&](const Binding& output) {
        return output.name == name && !output.wire.stream.empty();
    });
    std::string change;
    if (what == Source::kStream && !(has_it && element == Element::kAny)) {
        change = change_to_have(node, plugin::Direction::kOutput, name,
                                [&](const plugin::Port& port, const Settings&) {
                                    return element == Element::kAny ||
                                           port.element == Element::kAny || port.element == element;
                                });
    }
    for (const plugin::Global& global : node.component->globals) {
        const bool is_it = what == Source::kGlobal && global.is_written() && global.name == name;
        if (is_it && change.empty()) {
            change =
                change_to_hold(parse_condition(global.when), checked_settings(node), node.path);
        }
    }
    return change;
}

const experiment::Names* names_given(const experiment::Experiment& experiment, const Node& node) {
    if (const auto* const section = experiment::find_section(experiment, node.section)) {
        return &section->task.names;
    }
    const auto& entries = experiment.pipeline.components;
    const auto entry = std::ranges::find(entries, node.name, &experiment::ComponentEntry::name);
    return entry == entries.end() ? nullptr : &entry->names;
}

// Returns the output or global of the component that the experiment names so, whether it exists or
// not; else the name itself, or "" for a global that exists only where it is named.
std::string own_name(const Assembly& assembly, const Draft& draft, const std::string& name,
                     Source what) {
    const auto* const names = names_given(*assembly.experiment, draft.node);
    if (names != nullptr) {
        const auto& renamings = what == Source::kStream ? names->streams : names->globals;
        const auto given = std::ranges::find(renamings, name, &experiment::Renaming::to);
        if (given != renamings.end()) {
            return given->from;
        }
    }
    const auto* const global = find_named(draft.node.component->globals, name);
    return what == Source::kGlobal && global != nullptr && global->is_only_if_named() ? "" : name;
}

}  // namespace

std::string setting_to_have(const Assembly& assembly, const std::string& name, Source what,
                            Element element) {
    for (const auto* drafts : {&assembly.tasks, &assembly.components}) {
        std::string changes;
        const Component* type = nullptr;
        std::string output;  // of the type
        for (const Draft& draft : *drafts) {
            const std::string own = own_name(assembly, draft, name, what);
            const std::string found = draft.is_sound ? change_for(draft, own, what, element) : "";
            const bool is_section = drafts == &assembly.tasks && draft.node.component == type;
            if (!found.empty() && (type == nullptr || is_section)) {
                changes += (changes.empty() ? "" : ", and ") + found;
                type = draft.node.component;
                output = own;
            }
        }
        if (type != nullptr) {
            return fmt::format("{}: {} has '{}' only then", changes, type->name, output);
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
    for (const Binding& output : task.node.outputs) {
        const std::string& name = output.wire.stream;
        const auto is_it = [&](const Binding& input) { return input.wire.stream == name; };
        const auto computes_with_it = [&](const Draft& draft) {
            const Kind kind = draft.node.component->kind;
            return (kind == Kind::kModel || kind == Kind::kTransform) &&
                   std::ranges::any_of(draft.node.inputs, is_it);
        };
        const Shape shape =
            expand(parse_shape(task.port(output).shape), checked_settings(task.node));
        if (shape && !name.empty() && std::ranges::none_of(assembly.components, computes_with_it)) {
            found.push_back({name, task.port(output).element, *shape});
        }
    }
    return found;
}

}  // namespace ptp::pipeline

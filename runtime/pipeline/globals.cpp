// Checks which components publish and read a global. Globals that are sizes are checked in
// scope.cpp.

#include "pipeline/globals.hpp"

#include "base/number.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::GlobalAccess;

struct Use {
    std::string declared;  // the component's own name
    std::string name;      // the pipeline's
    std::optional<plugin::Purpose> purpose = {};
};

std::optional<plugin::Purpose> purpose_of(const Node& node, const std::string& declared) {
    const auto* const global = find_named(node.component->globals, declared);
    return global == nullptr ? std::nullopt : global->purpose;
}

// Returns whether the node publishes the global that it calls so, by its declaration or by a
// setting that lists the name: "$keys".
bool is_written(const Node& node, const std::string& name) {
    return std::ranges::any_of(node.component->globals, [&](const plugin::Global& global) {
        if (!global.is_written() || !global.name.starts_with('$')) {
            return global.is_written() && global.name == name;
        }
        const Value* names = checked_settings(node).find(global.name.substr(1));
        return names != nullptr && names->is_list() && contains(names->items(), Value(name));
    });
}

std::vector<Use> uses(const Draft& draft, bool written) {
    std::vector<Use> result;
    for (const auto& [declared, name] : draft.node.globals) {
        if (is_written(draft.node, declared) == written) {
            result.push_back({declared, name, purpose_of(draft.node, declared)});
        }
    }
    return result;
}

std::string global_renaming_text(const Use& use, const std::string& name) {
    if (name == use.declared) {
        return fmt::format("leave '{}' out of its globals", name);
    }
    return fmt::format("write globals = {{ {} = \"{}\" }}", toml_key(use.declared), name);
}

void refuse_second(const Draft& draft, const Use& use, const Draft& first, Diagnostics& problems) {
    report(draft.node, draft.node.place,
           fmt::format("publishes global '{}', which {} publishes already; {}", use.name,
                       node_text(first.node),
                       global_renaming_text(use, draft.node.name + "_" + use.declared)),
           problems);
}

// The globals that are published: their names, and those who publish them.
using Writers = std::map<std::string, const Draft*>;

// Returns the first published global of a purpose; "" if there is none.
std::string published_for(plugin::Purpose purpose, const Writers& writers) {
    const auto found = std::ranges::find_if(writers, [&](const auto& one) {
        return one.second->node.global_for(purpose) == one.first;
    });
    return found == writers.end() ? "" : found->first;
}

std::vector<std::string> published_in(const Writers& writers) {
    const auto names = std::views::keys(writers);
    return {names.begin(), names.end()};
}

// Returns the published globals that may be what is read. Where that is a vocabulary they are
// vocabularies, names of classes if it reads no words, and globals that a setting lists.
std::vector<std::string> candidates(const Draft& reader, const Use& read, const Writers& writers) {
    std::vector<std::string> names = published_in(writers);
    if (read.purpose != plugin::Purpose::kVocabulary) {
        return names;
    }
    std::erase_if(names, [&](const std::string& name) {
        const std::vector<Use> written = uses(*writers.at(name), true);
        return std::ranges::none_of(written, [&](const Use& use) {
            const auto& declared = writers.at(name)->node.component->globals;
            return use.name == name &&
                   (use.purpose == plugin::Purpose::kVocabulary ||
                    (use.purpose == plugin::Purpose::kClassNames && !reads_words(reader.node)) ||
                    find_named(declared, use.declared) == nullptr);
        });
    });
    return names;
}

// Returns the published number of classes for a name that it has in other programs.
std::optional<std::string> classes_meant(const std::string& name, const Writers& writers) {
    std::string published = published_for(plugin::Purpose::kClassCount, writers);
    return has_word("classes n_classes nb_classes num_class num_labels", folded(name)) &&
                   !published.empty()
               ? std::optional(std::move(published))
               : std::nullopt;
}

// Returns the published global that was probably meant. The number of scores that a model makes is
// usually that of its task's classes.
std::optional<std::string> likely_source(const Use& use, const Writers& writers,
                                         const std::vector<std::string>& published) {
    if (use.purpose == plugin::Purpose::kScoreCount && use.name == use.declared) {
        if (std::string classes = published_for(plugin::Purpose::kClassCount, writers);
            !classes.empty()) {
            return classes;
        }
    }
    const auto near = nearest(use.name, published);
    return near ? near : classes_meant(use.name, writers);
}

// Warns of a vocabulary that only the task of another section than the training publishes.
void warn_of_other_words(const Assembly& assembly, const Draft& draft, const Use& use,
                         const Draft& writer, Diagnostics& problems) {
    const bool is_trained = assembly.processed.empty() && !assembly.tasks.empty();
    if (!is_trained || use.purpose != plugin::Purpose::kVocabulary || writer.node.section.empty() ||
        &writer == &assembly.tasks.front()) {
        return;
    }
    const std::string change = setting_to_have(assembly, use.name, Source::kGlobal);
    pipeline::warn(
        draft.node,
        Explanation{fmt::format("global '{}' is the vocabulary of {} alone: other words of the "
                                "training are unknown, and new samples come without it",
                                use.name, node_text(writer.node)),
                    change.empty() ? vocabulary_to_have(assembly, draft, use.declared, use.name)
                                   : fmt::format("leave '{}' out of the globals of {}, and {}",
                                                 use.name, writer.node.path, change)},
        problems);
}

// Advises to remove the quotes of "10": in quotes it is the name of a global, without them a
// constant.
std::string advice_on_constant(const Use& use) {
    const auto value = read_toml_value(use.name);
    if (!value || value->is_string()) {
        return "";
    }
    return fmt::format("remove the quotes for a constant: globals = {{ {} = {} }}",
                       toml_key(use.declared), use.name);
}

// The number of values that each sample has to be predicted, where the task has no classes.
std::string advice_on_values(const Assembly& assembly, const Use& use, const Writers& writers) {
    constexpr std::size_t kBatchAndValues = 2;
    if (use.purpose != plugin::Purpose::kScoreCount ||
        (use.name != use.declared && nearest(use.name, published_in(writers)))) {
        return "";
    }
    for (const TargetStream& target : target_streams(assembly)) {
        if (target.element != plugin::Element::kFloating ||
            target.shape.size() != kBatchAndValues) {
            continue;
        }
        const PlainDimension& values = target.shape.back();
        const auto count =
            values.formula == nullptr
                ? values.number
                : compute_number(*values.formula, checked_settings(assembly.tasks.front().node),
                                 FormulaScope());
        if (count) {
            return fmt::format("write globals = {{ {} = {} }}, as '{}' has {} for each sample",
                               use.declared, *count, target.name, counted(*count, "number"));
        }
    }
    return "";
}

void refuse_missing(const Assembly& assembly, const Draft& draft, const Use& use,
                    const Writers& writers, Diagnostics& problems) {
    std::string message = fmt::format("reads global '{}', which nothing publishes", use.name);
    std::string fix = advice_on_constant(use);
    if (fix.empty() && draft.node.component->kind == plugin::Kind::kModel) {
        fix = advice_on_values(assembly, use, writers);
    }
    if (fix.empty()) {
        fix = setting_to_have(assembly, use.name, Source::kGlobal);
    }
    const std::vector<std::string> published = candidates(draft, use, writers);
    if (fix.empty() && use.purpose == plugin::Purpose::kVocabulary &&
        !nearest(use.name, published)) {
        fix = vocabulary_to_have(assembly, draft, use.declared, use.name);
    }
    if (!fix.empty()) {
        report(draft.node, draft.node.place, Explanation{message, fix}, problems);
        return;
    }
    if (const auto meant = likely_source(use, writers, published)) {
        message +=
            fmt::format("; did you mean '{}'? Then {}", *meant, global_renaming_text(use, *meant));
    } else {
        const std::string publisher = publisher_of_settings(*assembly.catalog);
        const std::string add =
            fmt::format("add a {}", publisher.empty() ? "component that publishes it" : publisher);
        message += published.empty()
                       ? "; " + add
                       : fmt::format("; published are {}; {}, or {}", joined(published),
                                     global_renaming_text(use, "..."), add);
    }
    report(draft.node, draft.node.place, message, problems);
}

// Globals that a setting names and that get their values from another one.
void check_listed(const Draft& draft, const plugin::Global& global, Diagnostics& problems) {
    const Settings settings = checked_settings(draft.node);
    const bool has_both = global.name.starts_with('$') && global.value.starts_with('$');
    const Value* keys = has_both ? settings.find(global.name.substr(1)) : nullptr;
    const Value* values = has_both ? settings.find(global.value.substr(1)) : nullptr;
    if (keys == nullptr || values == nullptr) {
        return;
    }
    const std::string keys_name = global.name.substr(1);
    const std::vector<Value>& names = keys->items();
    const std::size_t count = values->is_list() ? values->items().size() : 1;
    if (count != names.size()) {
        problems.error(*values, fmt::format("{}.{}", draft.node.path, global.value.substr(1)),
                       fmt::format("must be a list of {}, one value for each of {}, not of {}",
                                   names.size(), keys_name, count));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool is_second = &*std::ranges::find(names, names[i]) != &names[i];
        if (is_second || names[i].as_string().empty()) {
            problems.error(names[i], fmt::format("{}.{}[{}]", draft.node.path, keys_name, i),
                           is_second ? "is listed twice" : "must not be empty");
        }
    }
}

// Returns whether the component reads a global because a formula in one of its layers has it.
bool is_of_layer(const Draft& draft, const Use& use) {
    const auto reads = [&](const Draft& layer) { return layer.node.globals.contains(use.name); };
    return draft.inner != nullptr && std::ranges::any_of(draft.inner->components, reads);
}

void check_layers(const Draft& draft, const Writers& writers, Diagnostics& problems) {
    const std::vector<std::string> published = published_in(writers);
    if (draft.inner == nullptr) {
        return;
    }
    for (const Draft& layer : draft.inner->components) {
        for (const Use& use : uses(layer, false)) {
            if (contains(published, use.name) || is_of_layer(layer, use)) {
                continue;
            }
            const auto meant = classes_meant(use.name, writers);
            const bool is_of_input = use.name.starts_with("in_") || use.name.starts_with("input");
            const std::string known = meant         ? fmt::format("; did you mean '{}'?", *meant)
                                      : is_of_input ? ""
                                                    : hint(use.name, published);
            report(layer.node, layer.node.place,
                   Explanation{
                       fmt::format("'{}' in a formula is neither a size of {} nor a global that a "
                                   "component publishes{}",
                                   use.name, layer.node.component->name, known),
                       is_of_input ? "write inputs[-1] there, the size of the last dimension of "
                                     "its input"
                                   : ""},
                   problems);
        }
        check_layers(layer, writers, problems);
    }
}

// Returns whether the component reads the global only with a setting with which an input takes
// other elements than its stream carries: the fix of that input is one of the global.
bool follows_from_input(const Assembly& assembly, const Draft& draft, const Use& use) {
    const auto* const global = find_named(draft.node.component->globals, use.declared);
    return global != nullptr && std::ranges::any_of(draft.node.inputs, [&](const Binding& input) {
               const plugin::Port& port = draft.port(input);
               return input.stream >= 0 && port.element != assembly.stream(input.stream).element &&
                      form_of(*draft.node.component, port, assembly.stream(input.stream).element) !=
                          nullptr &&
                      std::ranges::any_of(
                          parse_condition(global->when).terms, [&](const Term& term) {
                              const auto& terms = parse_condition(port.when).terms;
                              return std::ranges::find(terms, term.setting, &Term::setting) !=
                                     terms.end();
                          });
           });
}

void check_readers(const Assembly& assembly, const Writers& writers, Diagnostics& problems) {
    for (const auto* drafts : {&assembly.tasks, &assembly.components}) {
        for (const Draft& draft : *drafts) {
            for (const Use& use : uses(draft, false)) {
                const auto writer = writers.find(use.name);
                if (writer != writers.end()) {
                    warn_of_other_words(assembly, draft, use, *writer->second, problems);
                } else if (!is_of_layer(draft, use) && !follows_from_input(assembly, draft, use)) {
                    refuse_missing(assembly, draft, use, writers, problems);
                }
            }
            check_layers(draft, writers, problems);
        }
    }
}

}  // namespace

void drop_unpublished(Assembly& assembly) {
    std::set<std::string> published;
    for (const auto* drafts : {&assembly.tasks, &assembly.components}) {
        for (const Draft& draft : *drafts) {
            for (Use& use : uses(draft, true)) {
                published.insert(std::move(use.name));
            }
        }
    }
    for (auto* drafts : {&assembly.tasks, &assembly.components}) {
        for (Draft& draft : *drafts) {
            for (const plugin::Global& global : draft.node.component->globals) {
                const auto used = draft.node.globals.find(global.name);
                if (global.access == GlobalAccess::kReadIfPublished &&
                    used != draft.node.globals.end() && used->second == global.name &&
                    !published.contains(global.name)) {
                    draft.node.globals.erase(used);
                }
            }
        }
    }
}

std::map<std::string, int> check_globals(const Assembly& assembly, Diagnostics& problems) {
    Writers writers;
    std::map<std::string, int> components;
    for (const Draft& task : assembly.tasks) {
        for (const Use& use : uses(task, true)) {
            writers.emplace(use.name, &task);
        }
    }
    for (std::size_t i = 0; i < assembly.components.size(); ++i) {
        const Draft& draft = assembly.components[i];
        for (const plugin::Global& global : draft.node.component->globals) {
            check_listed(draft, global, problems);
        }
        for (const Use& use : uses(draft, true)) {
            const auto [found, is_new] = writers.emplace(use.name, &draft);
            if (is_new) {
                components[use.name] = static_cast<int>(i);
            } else {
                refuse_second(draft, use, *found->second, problems);
            }
        }
    }
    if (assembly.is_complete) {
        check_readers(assembly, writers, problems);
    }
    return components;
}

std::vector<std::string> globals_read(const Draft& draft) {
    return transformed(uses(draft, false), [](Use& use) { return std::move(use.name); });
}

}  // namespace ptp::pipeline

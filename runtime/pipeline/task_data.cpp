// Finds the settings that decide the samples of a task, and gives it samples without targets in
// place of those of the experiment.

#include "pipeline/task_data.hpp"

#include "base/suggest.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/table_rows.hpp"
#include "plugin/purpose.hpp"
#include "plugin/setting_key.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace ptp::pipeline {

namespace {

namespace fs = std::filesystem;

using SettingOf = const plugin::Setting* (*)(const plugin::Component&);

std::vector<std::string> tasks_with(const plugin::Catalog& catalog, SettingOf setting_of,
                                    std::uint32_t min_depth) {
    std::vector<std::string> names;
    for (const plugin::Component* component : components_of(catalog)) {
        const plugin::Setting* setting = setting_of(*component);
        if (setting != nullptr && setting->list_depth >= min_depth) {
            names.push_back(component->name);
        }
    }
    std::ranges::sort(names);
    return names;
}

// "; ImageFolder takes several", or "".
std::string several_text(const plugin::Catalog& catalog) {
    const auto names = tasks_with(catalog, unlabeled_setting, 1);
    return names.empty()
               ? ""
               : fmt::format("; {} take{} several", joined(names), names.size() == 1 ? "s" : "");
}

// Renames of what no longer exists would be reported to have no effect.
template <class Declared>
void forget_names(std::vector<experiment::Renaming>& names, const std::vector<Declared>& declared,
                  const plugin::Setting& setting) {
    std::erase_if(names, [&](const experiment::Renaming& renaming) {
        return std::ranges::any_of(declared, [&](const Declared& one) {
            return one.name == renaming.from && is_gone(one.when, setting);
        });
    });
}

Value unlabeled_value(const plugin::Setting& setting, const UnlabeledData& data) {
    const SourceLocation place(data.option, 0, 0);
    std::vector<Value> items =
        transformed(data.texts, [&](const std::string& text) { return Value(text).at(place); });
    for (const fs::path& path : data.files) {
        items.push_back(Value(fs::absolute(path).string()).at(place));
    }
    return setting.list_depth == 0 ? items.front() : Value::list(std::move(items));
}

// Reports that the task has no such setting, with what it takes instead and the tasks that have
// one.
void refuse_without_setting(const plugin::Component& task, const experiment::Section& section,
                            const UnlabeledData& data, const plugin::Catalog& catalog,
                            Diagnostics& problems) {
    const bool are_texts = !data.texts.empty();
    const auto others = tasks_with(catalog, are_texts ? texts_setting : unlabeled_setting, 0);
    const plugin::Setting* files = are_texts ? unlabeled_setting(task) : nullptr;
    problems.error(
        SourceLocation(data.option, 0, 0), "",
        fmt::format("{} of [{}] has no setting for {}{}; to predict {}", task.name, section.name,
                    are_texts ? "samples that are texts" : "samples without targets",
                    others.empty() ? "" : ", as have " + joined(others),
                    files != nullptr ? fmt::format("files ({}), write --data FILE", files->help)
                                     : "a section, write --data " + section.name));
}

const plugin::Setting* setting_of_type(const plugin::Component& component,
                                       plugin::SettingType type) {
    const auto found =
        std::ranges::find_if(component.settings, [&](const plugin::Setting& setting) {
            return setting.takes_unlabeled && setting.type == type;
        });
    return found == component.settings.end() ? nullptr : &*found;
}

}  // namespace

std::string value_scales(const Node& task, int targets) {
    const auto* const columns =
        plugin::find_purpose(task.component->settings, plugin::Purpose::kValueColumns);
    const auto written = std::ranges::find(task.outputs, targets, &Binding::stream);
    const bool has_values =
        columns != nullptr && (written == task.outputs.end() ||
                               task.port(*written).when.find(columns->name) != std::string::npos);
    return has_values ? task.global_for(plugin::Purpose::kValueColumns) : "";
}

bool suits_targets(const Plan& plan, const Node& node, const plugin::Global& global) {
    const Binding* const targets = node.input_for(plugin::Purpose::kTargets);
    return global.access != plugin::GlobalAccess::kReadIfPublished ||
           global.purpose != plugin::Purpose::kValueColumns || targets == nullptr ||
           plan.tasks.empty() || std::ranges::any_of(plan.tasks, [&](const Node& task) {
               return !value_scales(task, targets->stream).empty();
           });
}

bool names_setting(const std::string& when, const std::string& setting) {
    return !when.empty() && std::ranges::any_of(parse_condition(when).terms, [&](const Term& term) {
        return term.setting == setting;
    });
}

bool is_gone(const std::string& when, const plugin::Setting& setting) {
    return !when.empty() && std::ranges::any_of(parse_condition(when).terms, [&](const Term& term) {
        return term.setting == setting.name && term.is_negated;
    });
}

bool is_with_targets(const Node& task, const Binding& output) {
    const plugin::Setting* const unlabeled = unlabeled_setting(*task.component);
    return task.port(output).purpose == plugin::Purpose::kTargets ||
           (unlabeled != nullptr && is_gone(task.port(output).when, *unlabeled));
}

const plugin::Port* answers_of(const Node& task) {
    const auto& declared = *task.component;
    const auto found = std::ranges::find_if(declared.ports, [&](const plugin::Port& port) {
        if (port.purpose != plugin::Purpose::kTargets ||
            port.element != plugin::Element::kFloating) {
            return false;
        }
        Condition condition = parse_condition(port.when);
        std::erase_if(condition.terms, [&](const Term& term) {
            const auto* const setting = find_named(declared.settings, term.setting);
            return setting != nullptr && setting->takes_unlabeled;
        });
        return holds(condition, checked_settings(task));
    });
    const bool has_classes =
        plugin::find_purpose(declared.globals, plugin::Purpose::kClassNames) != nullptr;
    return has_classes && found != declared.ports.end() ? &*found : nullptr;
}

bool is_yes_or_no(const plugin::Port& port) {
    if (port.purpose != plugin::Purpose::kTargets || port.element != plugin::Element::kFloating) {
        return false;
    }
    const ShapeExpression& shape = parse_shape(port.shape);
    const auto is_one = [](const Formula& size) {
        return size.kind == FormulaKind::kNumber && size.number == 1;
    };
    return shape.dimensions.size() == 2 && !shape.dimensions[1].repetition &&
           std::ranges::all_of(shape.dimensions[1].alternatives, is_one);
}

bool reads_windows(const Plan& plan, const Node& node) {
    const auto cuts_windows = [](const Node& task) {
        const auto& settings = task.component->settings;
        for (std::size_t i = 0; i < settings.size(); ++i) {
            if (settings[i].takes_unlabeled && task.settings[i]) {
                return false;
            }
        }
        return find_named(settings, "stride") != nullptr;
    };
    bool reads = false;
    for (const Node& task : plan.tasks) {
        const bool is_source = std::ranges::any_of(task.outputs, [&](const Binding& output) {
            return output.stream >= 0 && node.reads(output.stream) &&
                   task.port(output).element == plugin::Element::kTokens;
        });
        if (is_source && !cuts_windows(task)) {
            return false;
        }
        reads = reads || is_source;
    }
    return reads;
}

const plugin::Setting* unlabeled_setting(const plugin::Component& component) {
    return setting_of_type(component, plugin::SettingType::kPath);
}

const plugin::Setting* texts_setting(const plugin::Component& component) {
    return setting_of_type(component, plugin::SettingType::kString);
}

const plugin::Component* component_of(const experiment::TaskEntry& task,
                                      const plugin::Catalog& catalog) {
    Diagnostics reported_later;
    const auto found =
        find_type(catalog, {task.type, task.type_place, task.path, true}, reported_later);
    return found ? found->component : nullptr;
}

bool takes_texts(const experiment::Section& section, const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(section.task, catalog);
    return component != nullptr && texts_setting(*component) != nullptr;
}

bool reads_texts_alone(const experiment::Section& section, const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(section.task, catalog);
    const plugin::Setting* texts = component == nullptr ? nullptr : texts_setting(*component);
    if (texts == nullptr) {
        return false;
    }
    const auto has = [&](const std::string& setting) {
        return is_set(section.task.settings.find(setting));
    };
    return std::ranges::none_of(component->ports, [&](const plugin::Port& port) {
        const bool is_of_columns =
            !port.streams_setting.empty() &&
            !strings_in(section.task.settings.find(port.streams_setting)).empty();
        const auto& terms =
            port.when.empty() ? std::vector<Term>() : parse_condition(port.when).terms;
        const bool is_written = !terms.empty() && !is_gone(port.when, *texts) &&
                                std::ranges::all_of(terms, [&](const Term& term) {
                                    return term.is_negated || has(term.setting);
                                });
        return is_of_columns || (is_written && port.element != plugin::Element::kString);
    });
}

std::optional<std::string> ending_of_one_file(const experiment::Section& section,
                                              const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(section.task, catalog);
    const plugin::Setting* files = component == nullptr ? nullptr : unlabeled_setting(*component);
    if (files == nullptr || files->list_depth > 0 ||
        (texts_setting(*component) != nullptr && !reads_table(section, catalog))) {
        return std::nullopt;
    }
    for (const plugin::Setting& setting : component->settings) {
        const Value* value = section.task.settings.find(setting.name);
        if (setting.type == plugin::SettingType::kPath && value != nullptr && value->is_string()) {
            std::string ending = fs::path(value->as_string()).extension().string();
            if (!ending.empty()) {
                return ending;
            }
        }
    }
    return "";
}

bool reads_table(const experiment::Section& section, const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(section.task, catalog);
    return component != nullptr &&
           (plugin::find_purpose(component->settings, plugin::Purpose::kSeparator) != nullptr ||
            plugin::find_purpose(component->settings, plugin::Purpose::kTableFormat) != nullptr);
}

Member samples_setting(const experiment::Section& section, const UnlabeledData& data,
                       const plugin::Catalog& catalog) {
    const plugin::Component& component = *component_of(section.task, catalog);
    const plugin::Setting& setting =
        data.texts.empty() ? *unlabeled_setting(component) : *texts_setting(component);
    return {setting.name, {}, unlabeled_value(setting, data)};
}

void give_unlabeled(experiment::Section& section, const UnlabeledData& data,
                    const plugin::Catalog& catalog, Diagnostics& problems) {
    const plugin::Component* component = component_of(section.task, catalog);
    if (component == nullptr) {
        return;
    }
    const SourceLocation place(data.option, 0, 0);
    const plugin::Setting* setting =
        data.texts.empty() ? unlabeled_setting(*component) : texts_setting(*component);
    if (setting == nullptr) {
        refuse_without_setting(*component, section, data, catalog, problems);
        return;
    }
    if (setting->list_depth == 0 && data.files.size() > 1) {
        problems.error(
            place, "",
            fmt::format("{} takes one path as '{}' ({}), not {}{}", component->name, setting->name,
                        setting->help, data.files.size(), several_text(catalog)));
        return;
    }
    experiment::TaskEntry& task = section.task;
    for (const plugin::Setting& other : component->settings) {
        if (!other.obtain.empty() || other.takes_unlabeled) {
            task.settings.erase(other.name);
        }
    }
    task.settings.set(setting->name, unlabeled_value(*setting, data).at(place));
    forget_names(task.names.streams, component->ports, *setting);
    forget_names(task.names.globals, component->globals, *setting);
    section.sampler.reset();
    section.batch_limit.reset();
}

namespace {

// Returns the settings in "min($size, 10)". A formula that cannot be read is reported when the task
// is drafted.
std::set<std::string> settings_in(const std::string& formula) {
    std::set<std::string> names;
    try {
        for_each_part(parse_formula(formula), [&](const Formula& part) {
            if (part.kind == FormulaKind::kSetting) {
                names.insert(part.name.substr(0, part.name.find('.')));
            }
        });
    } catch (const ExpressionError&) {
        return {};
    }
    return names;
}

bool decides_samples(const plugin::Setting& setting, const plugin::Component& task) {
    return setting.type == plugin::SettingType::kPath ||
           setting.purpose == plugin::Purpose::kSplit ||
           settings_in(task.sample_count).contains(setting.name);
}

}  // namespace

bool leaves_samples(const plugin::Setting& setting, const plugin::Component& task) {
    const bool is_switch = setting.type == plugin::SettingType::kBoolean ||
                           setting.type == plugin::SettingType::kEnumeration ||
                           setting.type == plugin::SettingType::kAny;
    return is_switch && setting.list_depth == 0 && !settings_in(task.sample_count).empty() &&
           !decides_samples(setting, task) && !choice_of_training(setting);
}

std::vector<DataSetting> data_settings(const experiment::TaskEntry& task,
                                       const plugin::Catalog& catalog) {
    std::vector<DataSetting> settings;
    const plugin::Component* component = component_of(task, catalog);
    if (component == nullptr) {
        return settings;
    }
    for (const plugin::Setting& setting : component->settings) {
        if (decides_samples(setting, *component)) {
            settings.push_back({setting.name, plugin::key_of(setting).default_value});
        }
    }
    return settings;
}

std::optional<std::string> choice_of_training(const plugin::Setting& setting) {
    for (const char* const of_training : {"training", "train"}) {
        if (contains(setting.choices, of_training)) {
            return of_training;
        }
    }
    return std::nullopt;
}

namespace {

// Returns whether the task takes the value beside the others that are written.
bool takes(const plugin::Component& component, const experiment::TaskEntry& task,
           const std::string& name, const std::string& value) {
    std::vector<std::optional<Value>> values;
    for (const plugin::Setting& setting : component.settings) {
        const Value* const written = task.settings.find(setting.name);
        values.push_back(setting.name == name ? std::optional(Value(value))
                         : written != nullptr ? std::optional(*written)
                                              : plugin::key_of(setting).default_value);
    }
    return meet_requirements(component, values);
}

}  // namespace

void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(task, catalog);
    if (component == nullptr) {
        return;
    }
    for (const plugin::Setting& setting : component->settings) {
        if (!decides_samples(setting, *component) || setting.default_value ||
            task.settings.find(setting.name) != nullptr) {
            continue;
        }
        const auto choice = choice_of_training(setting);
        if (choice && takes(*component, task, setting.name, *choice)) {
            task.settings.set(setting.name, Value(*choice));
        }
    }
}

}  // namespace ptp::pipeline

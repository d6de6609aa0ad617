#include "pipeline/unlabeled.hpp"

#include "base/suggest.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/find_type.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace ptp::pipeline {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> tasks_for_unlabeled(const plugin::Catalog& catalog) {
    std::vector<std::string> names;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const plugin::Component& component : entry.manifest.components) {
            if (unlabeled_setting(component) != nullptr) {
                names.push_back(component.name);
            }
        }
    }
    std::ranges::sort(names);
    return names;
}

// "; ImageFolder takes several", or "".
std::string several_text(const plugin::Catalog& catalog) {
    std::vector<std::string> names;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const plugin::Component& component : entry.manifest.components) {
            const plugin::Setting* setting = unlabeled_setting(component);
            if (setting != nullptr && setting->list_depth > 0) {
                names.push_back(component.name);
            }
        }
    }
    std::ranges::sort(names);
    return names.empty()
               ? ""
               : fmt::format("; {} take{} several", joined(names), names.size() == 1 ? "s" : "");
}

// Whether it exists only as long as this setting is not given.
bool is_gone(const std::string& when, const plugin::Setting& setting) {
    return !when.empty() && std::ranges::any_of(parse_condition(when).terms, [&](const Term& term) {
        return term.setting == setting.name && term.is_negated;
    });
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

Value unlabeled_value(const plugin::Setting& setting, const std::vector<fs::path>& data) {
    std::vector<Value> items;
    for (const fs::path& path : data) {
        items.push_back(Value(fs::absolute(path).string()).at(SourceLocation("--data", 0, 0)));
    }
    return setting.list_depth == 0 ? items.front() : Value::list(std::move(items));
}

}  // namespace

const plugin::Setting* unlabeled_setting(const plugin::Component& component) {
    const auto found = std::ranges::find_if(component.settings, &plugin::Setting::takes_unlabeled);
    return found == component.settings.end() ? nullptr : &*found;
}

void give_unlabeled(experiment::Section& section, const std::vector<fs::path>& data,
                    const plugin::Catalog& catalog, Diagnostics& problems) {
    experiment::TaskEntry& task = section.task;
    Diagnostics said_later;
    const auto found =
        find_type(catalog, {task.type, task.type_place, task.path, true}, said_later);
    if (!found) {
        return;
    }
    const SourceLocation place("--data", 0, 0);
    const plugin::Setting* setting = unlabeled_setting(*found->component);
    if (setting == nullptr) {
        const auto others = tasks_for_unlabeled(catalog);
        problems.error(
            place, "",
            fmt::format("{} of [{}] has no setting for samples without targets{}; to "
                        "predict a section, write --data {}",
                        found->component->name, section.name,
                        others.empty() ? "" : ", as have " + joined(others), section.name));
        return;
    }
    if (setting->list_depth == 0 && data.size() > 1) {
        problems.error(
            place, "",
            fmt::format("{} takes one path as '{}' ({}), not {}{}", found->component->name,
                        setting->name, setting->help, data.size(), several_text(catalog)));
        return;
    }
    for (const plugin::Setting& other : found->component->settings) {
        if (!other.obtain.empty()) {
            task.settings.erase(other.name);
        }
    }
    task.settings.set(setting->name, unlabeled_value(*setting, data).at(place));
    forget_names(task.names.streams, found->component->ports, *setting);
    forget_names(task.names.globals, found->component->globals, *setting);
    section.sampler.reset();
    section.batch_limit.reset();
}

}  // namespace ptp::pipeline

// Finds the settings that decide which samples a task has.
#include "pipeline/data_settings.hpp"

#include "pipeline/find_type.hpp"
#include "plugin/setting_key.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace ptp::pipeline {

namespace {

// "$size" in "min($size, 10)".
bool is_used(const std::string& formula, const std::string& setting) {
    const std::string name = "$" + setting;
    for (std::size_t at = formula.find(name); at != std::string::npos;
         at = formula.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool is_longer =
            end < formula.size() &&
            (formula[end] == '_' || std::isalnum(static_cast<unsigned char>(formula[end])) != 0);
        if (!is_longer) {
            return true;
        }
    }
    return false;
}

bool decides_samples(const plugin::Setting& setting, const plugin::Component& task) {
    return setting.type == plugin::SettingType::kPath || is_used(task.sample_count, setting.name);
}

std::optional<plugin::Found> component_of(const experiment::TaskEntry& task,
                                          const plugin::Catalog& catalog) {
    Diagnostics reported_later;
    return find_type(catalog, {task.type, task.type_place, task.path, true}, reported_later);
}

}  // namespace

std::vector<DataSetting> data_settings(const experiment::TaskEntry& task,
                                       const plugin::Catalog& catalog) {
    std::vector<DataSetting> settings;
    const auto found = component_of(task, catalog);
    if (!found) {
        return settings;
    }
    for (const plugin::Setting& setting : found->component->settings) {
        if (decides_samples(setting, *found->component)) {
            settings.push_back({setting.name, plugin::key_of(setting).default_value});
        }
    }
    return settings;
}

std::optional<std::string> choice_of_training(const plugin::Setting& setting) {
    for (const char* const of_training : {"training", "train"}) {
        if (std::ranges::find(setting.choices, of_training) != setting.choices.end()) {
            return of_training;
        }
    }
    return std::nullopt;
}

void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog) {
    const auto found = component_of(task, catalog);
    if (!found) {
        return;
    }
    for (const plugin::Setting& setting : found->component->settings) {
        if (!decides_samples(setting, *found->component) || setting.default_value ||
            task.settings.find(setting.name) != nullptr) {
            continue;
        }
        if (const auto choice = choice_of_training(setting)) {
            task.settings.set(setting.name, Value(*choice));
        }
    }
}

}  // namespace ptp::pipeline

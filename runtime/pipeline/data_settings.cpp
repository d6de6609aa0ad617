#include "pipeline/data_settings.hpp"

#include "pipeline/find_type.hpp"
#include "plugin/setting_key.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::pipeline {

namespace {

constexpr std::array kByConvention = std::to_array<std::string_view>(
    {"use_train_data", "split", "subset", "seed", "dataset", "categories", "classes", "lines",
     "sentence_length", "stride"});

// The part of the data that a task takes from the name of its section if the setting is absent.
struct PartOfSection {
    std::string_view setting;
    std::string_view of_training;
};

constexpr std::array<PartOfSection, 2> kParts = {{{"split", "training"}, {"subset", "train"}}};

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
        if (setting.type == plugin::SettingType::kPath ||
            is_used(found->component->sample_count, setting.name) ||
            std::ranges::find(kByConvention, setting.name) != kByConvention.end()) {
            settings.push_back({setting.name, plugin::key_of(setting).default_value});
        }
    }
    return settings;
}

void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog) {
    const auto found = component_of(task, catalog);
    if (!found) {
        return;
    }
    for (const plugin::Setting& setting : found->component->settings) {
        const auto* const part = std::ranges::find(kParts, setting.name, &PartOfSection::setting);
        if (part == kParts.end() || setting.default_value ||
            task.settings.find(setting.name) != nullptr) {
            continue;
        }
        const auto& choices = setting.choices;
        if (std::ranges::find(choices, part->of_training) != choices.end()) {
            task.settings.set(setting.name, Value(std::string(part->of_training)));
        }
    }
}

}  // namespace ptp::pipeline

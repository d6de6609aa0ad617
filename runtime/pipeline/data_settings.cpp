#include "pipeline/data_settings.hpp"

#include "pipeline/find_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace ptp::pipeline {

namespace {

constexpr std::array<std::string_view, 3> kByConvention = {"use_train_data", "split", "seed"};
constexpr const char* kSplit = "split";

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

std::vector<std::string> data_settings(const experiment::TaskEntry& task,
                                       const plugin::Catalog& catalog) {
    std::vector<std::string> names;
    const auto found = component_of(task, catalog);
    if (!found) {
        return names;
    }
    for (const plugin::Setting& setting : found->component->settings) {
        if (setting.type == plugin::SettingType::kPath ||
            is_used(found->component->sample_count, setting.name) ||
            std::ranges::find(kByConvention, setting.name) != kByConvention.end()) {
            names.push_back(setting.name);
        }
    }
    return names;
}

void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog) {
    const auto found = component_of(task, catalog);
    if (!found || task.settings.find(kSplit) != nullptr) {
        return;
    }
    for (const plugin::Setting& setting : found->component->settings) {
        const bool has_training =
            std::ranges::find(setting.choices, "training") != setting.choices.end();
        if (setting.name == kSplit && has_training && !setting.default_value) {
            task.settings.set(kSplit, "training");
        }
    }
}

}  // namespace ptp::pipeline

#include "pipeline/unlabeled_advice.hpp"

#include "config/write.hpp"
#include "pipeline/declared_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

const plugin::Setting* unlabeled_setting(const plugin::Component& component) {
    const auto found = std::ranges::find_if(component.settings, &plugin::Setting::takes_unlabeled);
    return found == component.settings.end() ? nullptr : &*found;
}

// The value of a global that the task writes, image_height for example.
std::optional<std::int64_t> value_of(const Plan& plan, const Node& task, const std::string& name) {
    for (const plugin::Global& global : task.component->globals) {
        if (global.is_written() && global.name == name) {
            const auto declared = declared_value(plan, task, global);
            if (declared && declared->value && declared->value->is_integer()) {
                return declared->value->as_integer();
            }
        }
    }
    return std::nullopt;
}

// The settings of another task with which its globals have the values of this one: of
// "$resize_image[1]" the second item.
config::Value equal_settings(const Plan& plan, const Node& task, const plugin::Component& other) {
    static const std::regex kSetting(R"(\$([a-z0-9_]+)(\[([0-9])\])?)");
    std::map<std::string, std::map<std::size_t, std::int64_t>> lists;
    config::Value settings = config::Value::table({});
    for (const plugin::Global& global : other.globals) {
        std::smatch parts;
        const auto value = value_of(plan, task, global.name);
        if (!value || !std::regex_match(global.value, parts, kSetting)) {
            continue;
        }
        if (parts[3].matched) {
            auto& list = lists[parts[1]];
            list[static_cast<std::size_t>(std::stoi(parts[3]))] = *value;
            std::vector<config::Value> items;
            for (const auto& [index, item] : list) {
                items.emplace_back(item);
            }
            settings.set(parts[1].str(), config::Value::list(std::move(items)));
        } else {
            settings.set(parts[1].str(), *value);
        }
    }
    return settings;
}

const plugin::Component* task_for_several(const plugin::Catalog& catalog, const Node& task) {
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const plugin::Component& component : entry.manifest.components) {
            const plugin::Setting* setting = unlabeled_setting(component);
            if (setting != nullptr && setting->list_depth > 0 &&
                component.name != task.component->name) {
                return &component;
            }
        }
    }
    return nullptr;
}

}  // namespace

std::string unlabeled_advice(const Plan& plan, const std::string& section,
                             const plugin::Catalog& catalog) {
    const auto task = std::ranges::find(plan.tasks, section, &Node::section);
    const plugin::Setting* setting =
        task == plan.tasks.end() ? nullptr : unlabeled_setting(*task->component);
    if (setting == nullptr) {
        return "";
    }
    std::string text = fmt::format("\n    {}, the task of [{}], reads as '{}': {}",
                                   task->component->name, section, setting->name, setting->help);
    const plugin::Component* other =
        setting->list_depth > 0 ? nullptr : task_for_several(catalog, *task);
    if (other == nullptr) {
        return text;
    }
    config::Value table = config::Value::table({{"type", other->name}, {"batch_size", 100}});
    for (const config::Member& member : equal_settings(plan, *task, *other).members()) {
        table.set(member.key, member.value);
    }
    return text +
           fmt::format("\n    fix: give it that, or read other samples with {}: --set '{}.task={}'",
                       other->name, section, config::inline_toml(table));
}

}  // namespace ptp::pipeline

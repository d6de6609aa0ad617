#include "pipeline/unlabeled_advice.hpp"

#include "base/explanation.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/declared_value.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/unlabeled.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// The value of a global that the task writes, image_height for example.
std::optional<std::int64_t> advised_value(const Plan& plan, const Node& task,
                                          const std::string& name) {
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

// The setting that a declared value is: "$resize_image[1]".
struct SettingItem {
    std::string name;
    std::optional<std::size_t> index;
};

std::optional<SettingItem> advised_setting(const std::string& declared) {
    if (!declared.starts_with('$')) {
        return std::nullopt;
    }
    const ValueExpression value = parse_value(declared);
    if (!value.dimension || value.dimension->alternatives.size() != 1) {
        return std::nullopt;
    }
    const Atom& atom = value.dimension->alternatives.front();
    return atom.kind == Atom::Kind::kSetting ? std::optional(SettingItem{atom.name, atom.index})
                                             : std::nullopt;
}

// The settings of another task with which its globals have the values of this one.
Value equal_settings(const Plan& plan, const Node& task, const plugin::Component& other) {
    std::map<std::string, std::map<std::size_t, Value>> lists;
    Value settings = Value::table({});
    for (const plugin::Global& global : other.globals) {
        const auto value = advised_value(plan, task, global.name);
        const auto setting = advised_setting(global.value);
        if (!value || !setting) {
            continue;
        }
        if (!setting->index) {
            settings.set(setting->name, *value);
            continue;
        }
        auto& list = lists[setting->name];
        list[*setting->index] = *value;
        std::vector<Value> items;
        for (const auto& [index, item] : list) {
            items.push_back(item);
        }
        settings.set(setting->name, Value::list(std::move(items)));
    }
    return settings;
}

// How many streams both write, by name and kind of element.
std::ptrdiff_t common_streams(const plugin::Component& one, const plugin::Component& other) {
    return std::ranges::count_if(one.ports, [&](const plugin::Port& port) {
        return std::ranges::any_of(other.ports, [&](const plugin::Port& its) {
            return its.name == port.name && its.element == port.element;
        });
    });
}

// Returns whether the other task writes all streams of this one that models and transforms read:
// images do not take the place of a table's rows.
bool writes_what_is_read(const Plan& plan, const Node& task, const plugin::Component& other) {
    return std::ranges::all_of(task.outputs, [&](const Binding& output) {
        const plugin::Port& port = task.component->ports[static_cast<std::size_t>(output.port)];
        const auto reads = [&](const Node& node) {
            const bool is_asked = node.component->kind == plugin::Kind::kModel ||
                                  node.component->kind == plugin::Kind::kTransform;
            return is_asked && std::ranges::any_of(node.inputs, [&](const Binding& input) {
                       return input.stream == output.stream;
                   });
        };
        const bool is_needed = output.stream >= 0 && std::ranges::any_of(plan.nodes, reads);
        return !is_needed || std::ranges::any_of(other.ports, [&](const plugin::Port& its) {
            const auto count = [](const std::string& shape) {
                return std::ranges::count(shape, ',');
            };
            return its.name == port.name && its.element == port.element &&
                   count(its.shape) == count(port.shape);
        });
    });
}

// The one that has most streams in common with the task: texts do not take the place of images.
const plugin::Component* task_for_several(const plugin::Catalog& catalog, const Plan& plan,
                                          const Node& task) {
    const plugin::Component* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const plugin::Component& component : entry.manifest.components) {
            const plugin::Setting* setting = unlabeled_setting(component);
            const std::ptrdiff_t common = common_streams(*task.component, component);
            if (setting != nullptr && setting->list_depth > 0 && common > most &&
                component.name != task.component->name &&
                writes_what_is_read(plan, task, component)) {
                best = &component;
                most = common;
            }
        }
    }
    return best;
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
        setting->list_depth > 0 ? nullptr : task_for_several(catalog, plan, *task);
    if (other == nullptr) {
        return text;
    }
    Value table = Value::table({{"type", other->name}, {"batch_size", 100}});
    const Value equal = equal_settings(plan, *task, *other);
    for (const Member& member : equal.members()) {
        table.set(member.key, member.value);
    }
    return Explanation{
        text, fmt::format("give it that, or read other samples with {}: --set '{}.task={}'",
                          other->name, section, inline_toml(table))}
        .text();
}

}  // namespace ptp::pipeline

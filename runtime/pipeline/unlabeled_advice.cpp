// Advises which other task reads samples without targets that a task cannot read, written such that
// its samples are as the training's: of the same size, and prepared in the same way.

#include "base/explanation.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/setting_key.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace ptp::pipeline {

namespace {

// Returns the number of streams that both write, by name and kind of element.
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
        const plugin::Port& port = task.port(output);
        const auto reads = [&](const Node& node) {
            const plugin::Kind kind = node.component->kind;
            return (kind == plugin::Kind::kModel || kind == plugin::Kind::kTransform) &&
                   node.reads(output.stream);
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
    for (const plugin::Component* component : components_of(catalog)) {
        const plugin::Setting* setting = unlabeled_setting(*component);
        const std::ptrdiff_t common = common_streams(*task.component, *component);
        if (setting != nullptr && setting->list_depth > 0 && common > most &&
            component->name != task.component->name &&
            writes_what_is_read(plan, task, *component)) {
            best = component;
            most = common;
        }
    }
    return best;
}

// Returns the setting of a task, or the item of it, that is a dimension of what it writes; nullptr
// for one that is computed otherwise.
const Formula* setting_of_size(const plugin::Component& task,
                               const DimensionExpression& dimension) {
    const Formula* formula =
        dimension.alternatives.empty() ? nullptr : &dimension.alternatives.front();
    if (formula != nullptr && formula->kind == FormulaKind::kName) {
        const auto global = std::ranges::find(task.globals, formula->name, &plugin::Global::name);
        const auto* value = global == task.globals.end() ? nullptr : &parse_value(global->value);
        formula = value == nullptr || value->alternatives.empty() ? nullptr
                                                                  : &value->alternatives.front();
    }
    const bool is_item = formula != nullptr && formula->kind == FormulaKind::kItem;
    if (is_item && formula->operands[1].kind != FormulaKind::kNumber) {
        return nullptr;  // of the stream's place
    }
    const Formula* setting = is_item ? &formula->operands.front() : formula;
    return setting != nullptr && setting->kind == FormulaKind::kSetting ? formula : nullptr;
}

// Sets what makes the other task's samples as large as those of this one.
void set_sizes(const Plan& plan, const Node& task, const plugin::Component& other, Value& table) {
    for (const Binding& output : task.outputs) {
        const auto its =
            std::ranges::find(other.ports, task.port(output).name, &plugin::Port::name);
        const ShapeExpression shape =
            its == other.ports.end() ? ShapeExpression() : parse_shape(its->shape);
        for (std::size_t i = 0; i < std::min(shape.dimensions.size(), output.shape.size()); ++i) {
            const Formula* formula = setting_of_size(other, shape.dimensions[i]);
            const auto size = size_of(plan, output.shape[i]);
            if (formula == nullptr || !size) {
                continue;
            }
            if (formula->kind == FormulaKind::kSetting) {
                table.set(formula->name, *size);
                continue;
            }
            const std::string& name = formula->operands[0].name;
            const auto item = static_cast<std::size_t>(formula->operands[1].number);
            Value* known = table.find(name);
            Value& list = known != nullptr ? *known : table.set(name, Value::list({}));
            if (item == list.items().size()) {
                list.items().emplace_back(*size);
            }
        }
    }
}

// Copies the settings that prepare samples and that both tasks have, such as `normalize`.
void copy_preparations(const Node& task, const plugin::Component& other, Value& table) {
    for (std::size_t i = 0; i < task.settings.size(); ++i) {
        const plugin::Setting& own = task.component->settings[i];
        const auto its = std::ranges::find(other.settings, own.name, &plugin::Setting::name);
        const bool is_common = its != other.settings.end() && its->is_preparation &&
                               its->type == own.type && table.find(own.name) == nullptr;
        if (is_common && task.settings[i] &&
            task.settings[i] != plugin::key_of(own).default_value) {
            table.set(own.name, *task.settings[i]);
        }
    }
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
    set_sizes(plan, *task, *other, table);
    copy_preparations(*task, *other, table);
    return Explanation{
        fmt::format("{}; {} reads others", text, other->name),
        "--set " + shell_word(fmt::format("{}.task={}", section, inline_toml(table)))}
        .text();
}

}  // namespace ptp::pipeline

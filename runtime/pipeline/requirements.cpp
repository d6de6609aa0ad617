// The relations that must hold between the settings of a component and the sizes that it gets.
#include "pipeline/derive.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

// The setting that the relation is about: the first in it; "" if there is none.
std::string setting_of(const Formula& relation) {
    std::string name;
    for_each_part(relation, [&](const Formula& part) {
        if (name.empty() && part.kind == FormulaKind::kSetting) {
            name = part.name.substr(0, part.name.find('.'));
        }
    });
    return name;
}

std::string without_dollars(std::string text) {
    std::erase(text, '$');
    return text;
}

std::string value_text(const Computed& value) {
    if (const auto* const number = std::get_if<std::int64_t>(&value)) {
        return fmt::format("{}", *number);
    }
    return "";
}

// The sizes in a longer formula are more helpful than the formula.
constexpr std::size_t kMaxSideText = 60;

// "length(class_weights) is 3, classes is 10": the sides of the comparisons that are more than the
// setting itself, which is quoted anyway.
std::string sides_text(const Formula& relation, const Settings& settings,
                       const FormulaScope& scope) {
    std::vector<std::string> sides;
    const auto add = [&](const Formula& part, const std::string& text) {
        const std::string value = value_text(compute(part, settings, scope));
        std::string side = fmt::format("{} is {}", text, value);
        const bool says_more = !value.empty() && value != text;
        if (says_more && std::ranges::find(sides, side) == sides.end()) {
            sides.push_back(std::move(side));
        }
    };
    for_each_part(relation, [&](const Formula& part) {
        const bool says_more = !part.text.empty() && part.kind != FormulaKind::kNumber &&
                               part.kind != FormulaKind::kSetting;
        if (!says_more) {
            return;
        }
        if (part.text.size() <= kMaxSideText) {
            add(part, without_dollars(part.text));
            return;
        }
        for_each_part(part, [&](const Formula& name) {
            if (name.kind == FormulaKind::kName) {
                add(name, name.name);
            }
        });
    });
    return sides.empty() ? "" : fmt::format(": {}", join(sides, ", "));
}

// Returns whether the condition of a requirement holds. The name of a global that is read if named
// holds in it if the experiment names that global.
bool applies(const plugin::Requirement& requirement, const Node& node) {
    const Settings settings{*node.component, node.settings};
    const auto& declared = node.component->settings;
    const auto& globals = node.component->globals;
    return std::ranges::all_of(parse_condition(requirement.when).terms, [&](const Term& term) {
        const bool is_setting =
            std::ranges::count(declared, term.setting, &plugin::Setting::name) > 0;
        const bool is_global = std::ranges::any_of(globals, [&](const plugin::Global& global) {
            return global.name == term.setting &&
                   global.access == plugin::GlobalAccess::kReadIfNamed;
        });
        if (is_setting || !is_global) {
            return holds(Condition{{term}}, settings);
        }
        const bool is_named =
            node.globals.contains(term.setting) || node.constants.contains(term.setting);
        return is_named != term.is_negated;
    });
}

void refuse(const Node& node, const std::string& setting, const std::string& message,
            Diagnostics& problems) {
    const Settings settings{*node.component, node.settings};
    const Value* value = settings.find(setting);
    if (setting.empty()) {
        report(node, node.place, message, problems);
        return;
    }
    const std::string key = fmt::format("{}.{}", node.path, toml_key(setting));
    if (value != nullptr && value->place() != SourceLocation()) {
        problems.error(*value, key, message);
    } else {
        const std::string shown =
            value == nullptr ? "" : fmt::format(" = {} (by default)", short_text(*value));
        problems.error(node.place, key + shown, message);
    }
}

}  // namespace

bool check_requirements(const Derivation& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    const Settings settings{*node.component, node.settings};
    const ShapeScope scope(of.draft, of.own, of.all);
    bool is_good = true;
    for (const plugin::Requirement& requirement : node.component->requirements) {
        if (!applies(requirement, node)) {
            continue;
        }
        const Formula relation = parse_relation(requirement.relation);
        try {
            if (holds(relation, settings, scope).value_or(true)) {
                continue;
            }
            refuse(node, setting_of(relation),
                   requirement.message + sides_text(relation, settings, scope), problems);
        } catch (const ComputationError& error) {
            refuse(node, setting_of(relation),
                   fmt::format("{}: {}", without_dollars(requirement.relation), error.what()),
                   problems);
        }
        is_good = false;
    }
    return is_good;
}

}  // namespace ptp::pipeline

// Finds the sizes of a component that follow from others, and checks the relations that must hold
// between its settings and the sizes that it gets.
#include "pipeline/derive.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/mismatch.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// -1 in a setting is any size.
bool is_any_size(const Formula& formula, std::int64_t number) {
    const bool is_plain = formula.kind == FormulaKind::kSetting ||
                          formula.kind == FormulaKind::kItem || formula.kind == FormulaKind::kSlice;
    return is_plain && number == -1;
}

std::string subject(const DerivedSize& size) {
    return size.is_published ? size.name : fmt::format("the size ({})", size.name);
}

// "feature_map_height (width / 2)"
std::string subject_and_formula(const DerivedSize& size) {
    return size.is_published ? fmt::format("{} ({})", size.name, size.formula->text)
                             : subject(size);
}

// Two that publish one global have been refused for that.
bool has_rival(const Derivation& of, const DerivedSize& size) {
    if (!size.is_published || !of.draft.node.section.empty()) {
        return false;
    }
    const std::string& global = of.draft.node.globals.at(size.name);
    const auto publishes = [&](const Draft& draft) {
        const auto& declared = draft.node.component->globals;
        return &draft != &of.draft && std::ranges::any_of(declared, [&](const plugin::Global& one) {
            const auto name = draft.node.globals.find(one.name);
            return one.is_written() && name != draft.node.globals.end() && name->second == global;
        });
    };
    return std::ranges::any_of(of.assembly.tasks, publishes) ||
           std::ranges::any_of(of.assembly.components, publishes);
}

void refuse_contradiction(const Derivation& of, const DerivedSize& size, const Size& known,
                          std::int64_t number, Diagnostics& problems) {
    std::string message = fmt::format("{} is {}, but it would have to be {}",
                                      subject_and_formula(size), number, known.number);
    if (known.source.is_known()) {
        message += fmt::format(" ({})", known.source.origin());
    }
    report(of.draft.node, of.draft.node.place,
           Explanation{message, setting_fix(of.assembly, {{known.source, number}})}, problems);
}

// A number that was computed becomes the size, unless it cannot be one.
void take_number(const Derivation& of, DerivedSize& size, std::int64_t number,
                 Diagnostics& problems) {
    if (number < 1) {
        if (!is_any_size(*size.formula, number)) {
            size.refused = number;
        }
        return;
    }
    SourcedDimension found;
    found.dimension.size = number;
    found.source.text =
        (size.is_published ? "published by " : "computed by ") + node_text(of.draft.node);
    found.source.draft = &of.draft;
    const auto known = of.all.sizes.size_of(symbol_dimension(size.symbol));
    const bool fits = of.all.sizes.unify(symbol_dimension(size.symbol), found);
    if (!fits && known && !has_rival(of, size)) {
        refuse_contradiction(of, size, *known, number, problems);
    }
}

// Returns the known shapes of the streams that flow into an input.
std::vector<const SourcedShape*> known_shapes(const Derivation& of, const std::string& port) {
    std::vector<const SourcedShape*> result;
    for (const Binding& binding : of.draft.node.inputs) {
        if (binding.stream < 0 || of.draft.port(binding).name != port) {
            continue;
        }
        const SourcedShape& shape = of.all.streams[static_cast<std::size_t>(binding.stream)];
        if (shape.is_known) {
            result.push_back(&shape);
        }
    }
    return result;
}

}  // namespace

std::optional<Numbers> ShapeScope::sizes_of(int stream) const {
    const SourcedShape& shape = all_.streams[static_cast<std::size_t>(stream)];
    if (!shape.is_known) {
        return std::nullopt;
    }
    Numbers sizes;
    for (const SourcedDimension& dimension : shape.dimensions) {
        sizes.push_back(all_.sizes.number_of(dimension.dimension));
    }
    return sizes;
}

bool derive_sizes(const Derivation& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    const ShapeScope scope(of.draft, of.own, of.all);
    bool has_found = false;
    for (DerivedSize& size : of.own.derived) {
        if (size.is_done) {
            continue;
        }
        std::optional<std::int64_t> number;
        try {
            number = compute_number(*size.formula, checked_settings(node), scope);
        } catch (const ComputationError& error) {
            report(
                node, node.place,
                fmt::format("{} cannot be computed: {}", subject_and_formula(size), error.what()),
                problems);
            size.is_done = true;
            continue;
        }
        if (!number) {
            continue;
        }
        size.is_done = true;
        has_found = true;
        take_number(of, size, *number, problems);
    }
    return has_found;
}

void check_derived_sizes(const Derivation& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    for (const DerivedSize& size : of.own.derived) {
        if (!size.refused) {
            continue;
        }
        report(node, node.place,
               fmt::format("{} is {}, but a size must be at least 1", subject_and_formula(size),
                           *size.refused),
               problems);
    }
}

std::optional<std::vector<SourcedDimension>> sliced_dimensions(const Derivation& of,
                                                               const Formula& slice) {
    const std::vector<const SourcedShape*> shapes = known_shapes(of, slice.operands.front().name);
    if (shapes.empty()) {
        return std::nullopt;
    }
    const std::vector<SourcedDimension>& first = shapes.front()->dimensions;
    const ShapeScope scope(of.draft, of.own, of.all);
    const auto bounds = slice_bounds(slice, first.size(), checked_settings(of.draft.node), scope);
    if (!bounds) {
        return std::nullopt;
    }
    std::vector<SourcedDimension> result;
    for (std::size_t place = bounds->begin; place < bounds->end; ++place) {
        result.push_back(first[place]);
        for (const SourcedShape* other : shapes) {
            if (other->dimensions.size() == first.size()) {
                // The component's requirements report sizes that differ.
                of.all.sizes.unify(first[place], other->dimensions[place]);
            }
        }
    }
    return result;
}

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

// The sizes in a longer formula are more helpful than the formula.
constexpr std::size_t kMaxSideText = 60;

// "length(class_weights) is 3, classes is 10": the sides of the comparisons that are more than the
// setting itself, which is quoted anyway.
std::string sides_text(const Formula& relation, const Settings& settings,
                       const FormulaScope& scope) {
    std::vector<std::string> sides;
    const auto add = [&](const Formula& part, const std::string& text) {
        const auto number = compute_number(part, settings, scope);
        const std::string value = number ? fmt::format("{}", *number) : text;
        std::string side = fmt::format("{} is {}", text, value);
        if (value != text && std::ranges::find(sides, side) == sides.end()) {
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
    const Settings settings = checked_settings(node);
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
    const Settings settings = checked_settings(node);
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
    const Settings settings = checked_settings(node);
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

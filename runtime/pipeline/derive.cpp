// Finds the sizes of a component that follow from others, and checks the relations that must hold
// between its settings and the sizes that it gets.

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// The values of names in the formulas of a component, while the shapes are solved.
class SolvingScope : public NodeScope {
public:
    explicit SolvingScope(const Solving& of)
        : NodeScope(of.draft.node, of.sizes.globals), of_(of) {}

private:
    [[nodiscard]] Number number_of(const Dimension& dimension) const override {
        return of_.sizes.table.number_of(dimension);
    }
    [[nodiscard]] const std::vector<Dimension>* shape_of(int stream) const override {
        const WiredStream& wired = of_.assembly.stream(stream);
        return wired.has_shape ? &wired.shape : nullptr;
    }
    [[nodiscard]] const std::vector<Dimension>* inner_shape_of(int stream) const override {
        const WiredStream& wired = of_.draft.inner->stream(stream);
        return wired.has_shape ? &wired.shape : nullptr;
    }

    const Solving& of_;
};

// -1 in a setting is any size.
bool is_any_size(const Formula& formula, std::int64_t number) {
    const bool is_plain = formula.kind == FormulaKind::kSetting ||
                          formula.kind == FormulaKind::kItem || formula.kind == FormulaKind::kSlice;
    return is_plain && number == -1;
}

// "feature_map_height (width / 2)"
std::string subject(const DerivedSize& size) {
    return size.is_published ? fmt::format("{} ({})", size.name, size.formula)
                             : fmt::format("the size ({})", size.name);
}

// Two that publish one global have been refused for that.
bool has_rival(const Solving& of, const DerivedSize& size) {
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

// A number that was computed becomes the size, unless it contradicts one that is known.
void take_number(const Solving& of, const DerivedSize& size, std::int64_t number,
                 Diagnostics& problems) {
    const Node& node = of.draft.node;
    SizeTable& table = of.sizes.table;
    const Dimension dimension = symbol_dimension(size.symbol);
    const auto known = table.size_of(dimension);
    const std::string source =
        (size.is_published ? "published by " : "computed by ") + node_text(node);
    if (table.unify(dimension, table.number(number, {.text = source, .draft = &of.draft})) ||
        !known || has_rival(of, size)) {
        return;
    }
    std::string message =
        fmt::format("{} is {}, but it would have to be {}", subject(size), number, known->number);
    if (known->source.is_known()) {
        message += fmt::format(" ({})", known->source.origin());
    }
    report(node, node.place,
           Explanation{message, setting_fix(of.assembly, {{known->source, number}})}, problems);
}

}  // namespace

bool derive_sizes(const Solving& of, Diagnostics& problems) {
    Node& node = of.draft.node;
    bool has_found = false;
    for (DerivedSize& size : node.derived) {
        if (size.is_done) {
            continue;
        }
        const Formula formula = parse_formula(size.formula);
        try {
            const Number number = compute_number(formula, checked_settings(node), SolvingScope(of));
            size.is_done = number.has_value();
            has_found = has_found || size.is_done;
            if (number && *number >= 1) {
                take_number(of, size, *number, problems);
            } else if (number && !is_any_size(formula, *number)) {
                size.refused = number;
            }
        } catch (const ComputationError& error) {
            report(node, node.place,
                   fmt::format("{} cannot be computed: {}", subject(size), error.what()), problems);
            size.is_done = true;
        }
    }
    return has_found;
}

Number number_of_formula(const Solving& of, const std::string& text) {
    return compute_number(parse_formula(text), checked_settings(of.draft.node), SolvingScope(of));
}

namespace {

// Returns the shapes of the streams that a name in a declaration means: those that flow into an
// input, or out of layers.
std::vector<const std::vector<Dimension>*> shapes_of(const Solving& of, const std::string& name,
                                                     const Binding& output) {
    std::vector<const std::vector<Dimension>*> shapes;
    const auto add = [&](const WiredStream* stream) {
        if (stream != nullptr && stream->has_shape) {
            shapes.push_back(&stream->shape);
        }
    };
    const Node& node = of.draft.node;
    for (const Binding& binding : node.inputs) {
        if (binding.stream >= 0 && of.draft.port(binding).name == name) {
            add(&of.assembly.stream(binding.stream));
        }
    }
    for (const LayerList& list : node.lists) {
        if (node.component->settings[list.setting].name == name) {
            const bool is_named = !of.draft.port(output).streams_setting.empty();
            add(is_named ? find_named(of.draft.inner->streams, output.wire.stream)
                         : &of.draft.inner->stream(list.result));
        }
    }
    return shapes;
}

}  // namespace

std::optional<std::vector<Dimension>> sliced_dimensions(const Solving& of, const Formula& slice,
                                                        const Binding& output) {
    const auto shapes = shapes_of(of, slice.operands.front().name, output);
    if (shapes.empty()) {
        return std::nullopt;
    }
    const std::vector<Dimension>& first = *shapes.front();
    const auto bounds =
        slice_bounds(slice, first.size(), checked_settings(of.draft.node), SolvingScope(of));
    if (!bounds) {
        return std::nullopt;
    }
    std::vector<Dimension> result;
    for (std::size_t place = bounds->begin; place < bounds->end; ++place) {
        result.push_back(first[place]);
        for (const std::vector<Dimension>* other : shapes) {
            if (other->size() == first.size()) {
                // The component's requirements report sizes that differ.
                of.sizes.table.unify(first[place], (*other)[place]);
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

// Returns "3", or "[*, 3, 28]" for a list whose first number is not known.
std::string numbers_text(const Computed& numbers, const std::string& otherwise) {
    std::vector<std::string> texts;
    for (const Number& number : numbers.value_or(Numbers())) {
        texts.push_back(number ? fmt::format("{}", *number) : "*");
    }
    return texts.size() > 1                        ? fmt::format("[{}]", join(texts, ", "))
           : texts.empty() || texts.front() == "*" ? otherwise
                                                   : texts.front();
}

// "length(class_weights) is 3, classes is 10": the sides of the comparisons that are more than the
// setting itself, which is quoted anyway.
std::string sides_text(const Formula& relation, const Settings& settings,
                       const FormulaScope& scope) {
    std::vector<std::string> sides;
    const auto add = [&](const Formula& part, const std::string& text) {
        const std::string value = numbers_text(compute(part, settings, scope), text);
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
    return std::ranges::all_of(parse_condition(requirement.when).terms, [&](const Term& term) {
        const bool is_global =
            find_named(node.component->settings, term.setting) == nullptr &&
            std::ranges::any_of(node.component->globals, [&](const plugin::Global& global) {
                return global.name == term.setting &&
                       global.access == plugin::GlobalAccess::kReadIfNamed;
            });
        if (!is_global) {
            return holds(Condition{{term}}, checked_settings(node));
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

void check_requirements(const Solving& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    const Settings settings = checked_settings(node);
    const SolvingScope scope(of);
    bool is_good = true;
    for (const plugin::Requirement& requirement : node.component->requirements) {
        if (!applies(requirement, node)) {
            continue;
        }
        const Formula relation = parse_relation(requirement.relation);
        std::string message;
        try {
            if (holds(relation, settings, scope).value_or(true)) {
                continue;
            }
            message = requirement.message + sides_text(relation, settings, scope);
        } catch (const ComputationError& error) {
            message = fmt::format("{}: {}", without_dollars(requirement.relation), error.what());
        }
        refuse(node, setting_of(relation), message, problems);
        is_good = false;
    }
    for (const DerivedSize& size : node.derived) {
        if (is_good && size.refused) {
            report(node, node.place,
                   fmt::format("{} is {}, but a size must be at least 1", subject(size),
                               *size.refused),
                   problems);
        }
    }
}

}  // namespace ptp::pipeline

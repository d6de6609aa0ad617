// Finds the sizes of a component that follow from others. The relations that must hold between
// them are in requirements.cpp.

#include "base/text.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

// -1 in a setting is any size.
bool is_any_size(const Formula& formula, std::int64_t number) {
    const bool is_plain = formula.kind == FormulaKind::kSetting ||
                          formula.kind == FormulaKind::kItem || formula.kind == FormulaKind::kSlice;
    return is_plain && number == -1;
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
        fmt::format("{}, but it would have to be {}",
                    derived_text(of, size, fmt::format("is {}", number)), known->number);
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
            report(
                node, node.place,
                fmt::format("{}: {}", derived_text(of, size, "cannot be computed"), error.what()),
                problems);
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

}  // namespace ptp::pipeline

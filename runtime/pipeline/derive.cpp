#include "pipeline/derive.hpp"

#include "pipeline/size_fix.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ptp::pipeline {

namespace {

SourcedDimension dimension_of(int symbol) {
    return {{.size = std::nullopt, .symbol = symbol, .name = ""}, {}};
}

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
    const auto known = of.all.sizes.size_of(dimension_of(size.symbol));
    const bool fits = of.all.sizes.unify(dimension_of(size.symbol), found);
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

std::optional<std::int64_t> ShapeScope::size(const std::string& name) const {
    const auto own = own_.symbols.find(name);
    if (own != own_.symbols.end()) {
        return all_.sizes.number_of(own->second);
    }
    const auto constant = draft_.node.constants.find(name);
    if (constant != draft_.node.constants.end() && constant->second.is_integer()) {
        return constant->second.as_integer();
    }
    const auto global = draft_.node.globals.find(name);
    if (global == draft_.node.globals.end()) {
        return std::nullopt;
    }
    const auto symbol = all_.globals.find(global->second);
    return symbol == all_.globals.end() ? std::nullopt : all_.sizes.number_of(symbol->second);
}

InputSizes ShapeScope::input(const std::string& port) const {
    InputSizes result;
    for (const Binding& binding : draft_.node.inputs) {
        const plugin::Port& declared = draft_.port(binding);
        if (declared.name != port) {
            continue;
        }
        result.is_list = !declared.streams_setting.empty();
        if (binding.stream < 0) {
            continue;
        }
        const SourcedShape& shape = all_.streams[static_cast<std::size_t>(binding.stream)];
        std::optional<Numbers> sizes;
        if (shape.is_known) {
            sizes.emplace();
            for (const SourcedDimension& dimension : shape.dimensions) {
                sizes->push_back(all_.sizes.number_of(dimension.dimension));
            }
        }
        result.streams.push_back(std::move(sizes));
    }
    return result;
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
            number = compute_number(*size.formula, {*node.component, node.settings}, scope);
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
    const auto bounds = slice_bounds(slice, first.size(),
                                     {*of.draft.node.component, of.draft.node.settings}, scope);
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

}  // namespace ptp::pipeline

#include "pipeline/declared_value.hpp"

#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// The values of names in the formulas of a component that is being created.
class PlanScope : public NodeScope {
public:
    PlanScope(const Plan& plan, const Node& node)
        : NodeScope(node, node.symbols, plan.global_symbols), plan_(plan) {}

private:
    [[nodiscard]] Number number_of(int symbol) const override { return plan_.symbol(symbol).size; }
    [[nodiscard]] std::optional<Numbers> sizes_of(int number) const override {
        const Stream& stream = plan_.stream(number);
        if (!stream.has_shape) {
            return std::nullopt;
        }
        Numbers sizes;
        for (const Dimension& dimension : stream.shape) {
            sizes.push_back(size_of(plan_, dimension));
        }
        return sizes;
    }

    const Plan& plan_;
};

// A list of one is its number; nullopt if any number is not known.
std::optional<Value> read_declared(const Computed& numbers) {
    if (!numbers || !std::ranges::all_of(*numbers, &Number::has_value)) {
        return std::nullopt;
    }
    std::vector<Value> items;
    for (const Number& number : *numbers) {
        items.emplace_back(*number);
    }
    return items.size() == 1 ? items.front() : Value::list(std::move(items));
}

// In the words of a dimension: a number, or a name whose size is known.
std::optional<Value> read_declared(const DimensionExpression& dimension, const Settings& settings,
                                   const FormulaScope& scope) {
    const auto plain = expand(dimension, settings);
    if (plain.size() != 1) {
        return std::nullopt;
    }
    const auto number =
        plain.front().name.empty() ? plain.front().number : scope.size(plain.front().name);
    return number ? std::optional(Value(*number)) : std::nullopt;
}

}  // namespace

std::optional<DeclaredValue> declared_value(const Plan& plan, const Node& node,
                                            const plugin::Global& global) {
    if (global.value.empty() || global.name.starts_with('$')) {
        return std::nullopt;
    }
    const Settings settings = settings_of(node);
    const PlanScope scope(plan, node);
    const ValueExpression& expression = parse_value(global.value);
    DeclaredValue result{.text = global.value, .value = std::nullopt};
    try {
        result.value = expression.formula
                           ? read_declared(compute(*expression.formula, settings, scope))
                           : read_declared(*expression.dimension, settings, scope);
    } catch (const ComputationError&) {
        result.value = std::nullopt;  // the component reports what it cannot do
    }
    return result;
}

std::optional<std::int64_t> declared_sample_count(const Node& task) {
    if (task.component->sample_count.empty()) {
        return std::nullopt;
    }
    const Plan nothing;
    const PlanScope scope(nothing, task);
    try {
        return compute_number(parse_formula(task.component->sample_count), settings_of(task),
                              scope);
    } catch (const ComputationError&) {
        return std::nullopt;
    }
}

namespace {

// Sets what follows for one output; whether there was something.
bool derive_output(Plan& plan, const Node& node, const Binding& output) {
    const plugin::Port& port = node.port(output);
    if (output.stream < 0 || !output.has_shape || port.element == plugin::Element::kAny) {
        return false;
    }
    const Settings settings = settings_of(node);
    const PlanScope scope(plan, node);
    const auto plain = expand(parse_shape(port.shape), settings);
    bool has_found = false;
    std::size_t place = 0;
    for (std::size_t i = 0; plain && i < plain->size() && place < output.shape.size(); ++i) {
        const PlainDimension& one = (*plain)[i];
        if (one.slice != nullptr) {
            const InputSizes input = scope.input(one.slice->operands.front().name);
            const bool is_known = !input.streams.empty() && input.streams.front();
            const auto bounds =
                is_known ? slice_bounds(*one.slice, input.streams.front()->size(), settings, scope)
                         : std::nullopt;
            if (!bounds) {
                return has_found;
            }
            place += bounds->end - bounds->begin;
            continue;
        }
        const Dimension& dimension = output.shape[place++];
        if (one.formula == nullptr || dimension.symbol < 0 || size_of(plan, dimension)) {
            continue;
        }
        const auto number = compute_number(*one.formula, settings, scope);
        if (number && *number >= 1) {
            Symbol& symbol = plan.symbols[static_cast<std::size_t>(dimension.symbol)];
            symbol.size = number;
            symbol.origin = "computed by " + node_text(node);
            has_found = true;
        }
    }
    return has_found;
}

}  // namespace

void derive_learnt_sizes(Plan& plan) {
    bool has_found = true;
    while (has_found) {
        has_found = false;
        for (const Node& node : plan.nodes) {
            for (const Binding& output : node.outputs) {
                if (std::ranges::all_of(output.shape, [&](const Dimension& one) {
                        return one.symbol < 0 || size_of(plan, one);
                    })) {
                    continue;
                }
                try {
                    has_found = derive_output(plan, node, output) || has_found;
                } catch (const ComputationError&) {
                    continue;  // the component reports what it cannot do
                }
            }
        }
    }
}

}  // namespace ptp::pipeline

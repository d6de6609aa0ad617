#include "pipeline/declared_value.hpp"

#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// The values of names in the formulas of a component that is being created.
class PlanScope : public FormulaScope {
public:
    PlanScope(const Plan& plan, const Node& node) : plan_(plan), node_(node) {}

    [[nodiscard]] std::optional<std::int64_t> size(const std::string& name) const override {
        const auto own = node_.symbols.find(name);
        if (own != node_.symbols.end()) {
            return size_of_symbol(own->second);
        }
        const auto constant = node_.constants.find(name);
        if (constant != node_.constants.end() && constant->second.is_integer()) {
            return constant->second.as_integer();
        }
        const auto global = node_.globals.find(name);
        if (global == node_.globals.end()) {
            return std::nullopt;
        }
        const auto symbol = plan_.global_symbols.find(global->second);
        return symbol == plan_.global_symbols.end() ? std::nullopt : size_of_symbol(symbol->second);
    }

    [[nodiscard]] InputSizes input(const std::string& port) const override {
        InputSizes result;
        for (const Binding& binding : node_.inputs) {
            const auto& declared = node_.component->ports[static_cast<std::size_t>(binding.port)];
            if (declared.name != port) {
                continue;
            }
            result.is_list = !declared.streams_setting.empty();
            if (binding.stream < 0) {
                continue;
            }
            const Stream& stream = plan_.streams[static_cast<std::size_t>(binding.stream)];
            std::optional<Numbers> sizes;
            if (stream.has_shape) {
                sizes.emplace();
                for (const Dimension& dimension : stream.shape) {
                    sizes->push_back(size_of(plan_, dimension));
                }
            }
            result.streams.push_back(std::move(sizes));
        }
        return result;
    }

private:
    [[nodiscard]] std::optional<std::int64_t> size_of_symbol(int symbol) const {
        return plan_.symbols[static_cast<std::size_t>(symbol)].size;
    }

    const Plan& plan_;
    const Node& node_;
};

// A list of one is its number; nullopt if any number is not known.
std::optional<Value> read_declared(const Computed& computed) {
    if (const auto* const number = std::get_if<std::int64_t>(&computed)) {
        return Value(*number);
    }
    const auto* const numbers = std::get_if<Numbers>(&computed);
    if (numbers == nullptr) {
        return std::nullopt;
    }
    std::vector<Value> items;
    for (const auto& number : *numbers) {
        if (!number) {
            return std::nullopt;
        }
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
    const Settings settings{*node.component, node.settings};
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
        return compute_number(parse_formula(task.component->sample_count),
                              {*task.component, task.settings}, scope);
    } catch (const ComputationError&) {
        return std::nullopt;
    }
}

namespace {

// Sets what follows for one output; whether there was something.
bool derive_output(Plan& plan, const Node& node, const Binding& output) {
    const plugin::Port& port = node.component->ports[static_cast<std::size_t>(output.port)];
    if (output.stream < 0 || !output.has_shape || port.element == plugin::Element::kAny) {
        return false;
    }
    const Settings settings{*node.component, node.settings};
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

// Compares and names the sizes of a plan, and computes those that follow from others.
#include "pipeline/sizes.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "plugin/manifest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// Returns whether the size of a tensor agrees with one dimension.
bool agrees(const Plan& plan, const Dimension& dimension, std::int64_t actual,
            std::int64_t batch_size) {
    if (dimension.symbol == kBatchSymbol) {
        return actual == batch_size;
    }
    const auto size = size_of(plan, dimension);
    return !size || *size == actual;
}

// Equal names must be equal sizes within one tensor too, even where the size is not known.
bool names_agree(const std::vector<Dimension>& shape, std::span<const std::int64_t> actual) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_one = shape[i].symbol >= 0 && shape[i].symbol == shape[j].symbol;
            if (is_one && actual[i] != actual[j]) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

std::optional<std::int64_t> size_of(const Plan& plan, const Dimension& dimension) {
    if (dimension.size || dimension.symbol < 0) {
        return dimension.size;
    }
    return plan.symbol(dimension.symbol).size;
}

std::string dimension_text(const std::string& name, std::optional<std::int64_t> size) {
    if (name.empty()) {
        return size ? fmt::format("{}", *size) : "*";
    }
    return size ? fmt::format("{} = {}", name, *size) : name;
}

std::string shape_text(const Plan& plan, const std::vector<Dimension>& shape, bool has_shape) {
    if (!has_shape) {
        return "[...]";
    }
    std::vector<std::string> parts;
    for (const Dimension& dimension : shape) {
        parts.push_back(dimension_text(dimension.name, size_of(plan, dimension)));
    }
    return fmt::format("[{}]", join(parts, ", "));
}

std::string node_text(const Node& node) {
    const std::string type = node.component == nullptr ? "?" : node.component->name;
    if (!node.section.empty()) {
        return fmt::format("the task of [{}] ({})", node.section, type);
    }
    return fmt::format("'{}' ({})", node.name, type);
}

std::optional<std::string> learn_size(Plan& plan, int symbol, std::int64_t size,
                                      const std::string& origin) {
    if (symbol == kBatchSymbol) {
        return std::nullopt;
    }
    Symbol& known = plan.symbols[static_cast<std::size_t>(symbol)];
    if (known.size && *known.size != size) {
        const std::string by = known.origin.empty() ? "" : fmt::format(" ({})", known.origin);
        // "pipeline.flatten.input_dims[2]", and not "published by ..."
        const bool is_setting =
            !known.origin.empty() && known.origin.find(' ') == std::string::npos;
        const std::string fix = is_setting ? fmt::format("set {} = {}", known.origin, size) : "";
        return Explanation{fmt::format("{} = {} ({}), but it is {} already{}", known.name, size,
                                       origin, *known.size, by),
                           fix}
            .text();
    }
    if (!known.size) {
        known.size = size;
        known.origin = origin;
    }
    return std::nullopt;
}

std::optional<std::string> check_shape(const Plan& plan, const Node& node, const Binding& binding,
                                       std::span<const std::int64_t> actual,
                                       std::int64_t batch_size) {
    if (!binding.has_shape || binding.stream < 0) {
        return std::nullopt;
    }
    bool is_good = actual.size() == binding.shape.size();
    for (std::size_t i = 0; is_good && i < actual.size(); ++i) {
        is_good = agrees(plan, binding.shape[i], actual[i], batch_size);
    }
    if (is_good && names_agree(binding.shape, actual)) {
        return std::nullopt;
    }

    const auto& port = node.port(binding);
    const bool is_output = port.direction == plugin::Direction::kOutput;
    const std::string stream = plan.stream(binding.stream).name;
    return fmt::format("{} {} [{}] {} stream '{}', but its port '{}' is declared as {} (B = {})",
                       node_text(node), is_output ? "writes" : "reads", join(actual, ", "),
                       is_output ? "to" : "from", stream, binding.name,
                       shape_text(plan, binding.shape), batch_size);
}

Explanation unknown_size(const Plan& plan, const Node& node, const std::string& dimension) {
    std::string message = fmt::format("the size '{}' cannot be inferred", dimension);
    for (const Binding& input : node.inputs) {
        const auto found = std::ranges::find(input.shape, dimension, &Dimension::name);
        if (input.stream < 0 || found == input.shape.end()) {
            continue;
        }
        const Stream& stream = plan.stream(input.stream);
        const std::string writer =
            stream.producer < 0 ? "the task" : node_text(plan.node(stream.producer));
        message += fmt::format(
            ": it is dimension {} of stream '{}', which {} writes as {}; that "
            "size is known only while the data flow",
            found - input.shape.begin(), stream.name, writer,
            shape_text(plan, stream.shape, stream.has_shape));
        break;
    }
    const auto& globals = node.component->globals;
    const auto global = std::ranges::find(globals, dimension, &plugin::Global::name);
    if (global == globals.end() || global->is_written()) {
        return {message};
    }
    const auto named = node.globals.find(dimension);
    if (named != node.globals.end()) {
        message += fmt::format(": the global '{}' has no value", named->second);
    }
    return {message, fmt::format("write the number: globals = {{ {} = ... }} in {}",
                                 toml_key(dimension), node.path)};
}

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

// Converts numbers to a value: one number alone is not a list. nullopt if any is not known.
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

// Returns the value of a dimension expression: a number, or a name whose size is known.
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
    const Settings settings = checked_settings(node);
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
        return compute_number(parse_formula(task.component->sample_count), checked_settings(task),
                              scope);
    } catch (const ComputationError&) {
        return std::nullopt;
    }
}

namespace {

// Sets the sizes of one output that can be computed now, and returns whether there was one.
bool derive_output(Plan& plan, const Node& node, const Binding& output) {
    const plugin::Port& port = node.port(output);
    if (output.stream < 0 || !output.has_shape || port.element == plugin::Element::kAny) {
        return false;
    }
    const Settings settings = checked_settings(node);
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

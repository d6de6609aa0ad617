// Compares and names the sizes of a plan, and computes those that follow from others.

#include "pipeline/sizes.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "plugin/manifest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

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
    if (!node.owner.empty()) {
        return fmt::format("layer {} of {} ({})", node.name, node.owner, type);
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
        const Dimension* const found = find_named(input.shape, dimension);
        if (input.stream < 0 || found == nullptr) {
            continue;
        }
        const Stream& stream = plan.stream(input.stream);
        const std::string writer =
            stream.producer < 0 ? "the task" : node_text(plan.node(stream.producer));
        message += fmt::format(
            ": it is dimension {} of stream '{}', which {} writes as {}; that "
            "size is known only while the data flow",
            found - input.shape.data(), stream.name, writer,
            shape_text(plan, stream.shape, stream.has_shape));
        break;
    }
    const auto* const global = find_named(node.component->globals, dimension);
    if (global == nullptr || global->is_written()) {
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
    PlanScope(const Plan& plan, const Node& node, const Node* owner = nullptr)
        : NodeScope(node, plan.global_symbols), plan_(plan), node_(node), owner_(owner) {}

private:
    // A plan without symbols knows no sizes.
    [[nodiscard]] Number number_of(const Dimension& dimension) const override {
        return dimension.symbol < std::ssize(plan_.symbols) ? size_of(plan_, dimension)
                                                            : std::nullopt;
    }
    [[nodiscard]] const std::vector<Dimension>* shape_of(int stream) const override {
        return shape_in(owner_ == nullptr ? plan_.streams : owner_->inner_streams, stream);
    }
    [[nodiscard]] const std::vector<Dimension>* inner_shape_of(int stream) const override {
        return shape_in(node_.inner_streams, stream);
    }

    static const std::vector<Dimension>* shape_in(const std::vector<Stream>& streams, int stream) {
        const Stream& one = streams[static_cast<std::size_t>(stream)];
        return one.has_shape ? &one.shape : nullptr;
    }

    const Plan& plan_;
    const Node& node_;
    const Node* owner_;  // of a layer
};

// Computes a formula; nullopt also if it cannot be, which the component reports itself.
Computed computed_for(const Plan& plan, const Node& node, const Formula& formula,
                      const Node* owner = nullptr) {
    try {
        return compute(formula, checked_settings(node), PlanScope(plan, node, owner));
    } catch (const ComputationError&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<DeclaredValue> declared_value(const Plan& plan, const Node& node,
                                            const plugin::Global& global) {
    if (global.value.empty() || global.name.starts_with('$')) {
        return std::nullopt;
    }
    DeclaredValue result{.text = global.value, .value = std::nullopt};
    const auto plain = expand(parse_value(global.value), checked_settings(node));
    if (plain.size() != 1) {
        return result;
    }
    const PlainDimension& one = plain.front();
    const Computed numbers = one.formula != nullptr ? computed_for(plan, node, *one.formula)
                             : one.name.empty()     ? Numbers{one.number}
                                                    : Numbers{PlanScope(plan, node).size(one.name)};
    if (!numbers || !std::ranges::all_of(*numbers, &Number::has_value)) {
        return result;
    }
    std::vector<Value> items =
        transformed<Value>(*numbers, [](const Number& number) { return *number; });
    result.value = items.size() == 1 ? items.front() : Value::list(std::move(items));
    return result;
}

std::optional<std::int64_t> declared_sample_count(const Node& task) {
    if (task.component->sample_count.empty()) {
        return std::nullopt;
    }
    const Computed count = computed_for(Plan(), task, parse_formula(task.component->sample_count));
    return count && count->size() == 1 ? count->front() : std::nullopt;
}

std::optional<std::int64_t> number_of_formula(const Plan& plan, const OwnedLayer& of,
                                              const std::string& text) {
    const Computed found = computed_for(plan, of.layer, parse_formula(text), &of.owner);
    return found && found->size() == 1 ? found->front() : std::nullopt;
}

namespace {

// Returns whether a size was found. `owner` is that of a layer.
bool derive_learnt(Plan& plan, const Node& node, const Node* owner) {
    bool has_found = false;
    for (const DerivedSize& size : node.derived) {
        Symbol& symbol = plan.symbols[static_cast<std::size_t>(size.symbol)];
        if (size.is_published || size.is_done || symbol.size) {
            continue;
        }
        const Computed found = computed_for(plan, node, parse_formula(size.formula), owner);
        if (found && found->size() == 1 && found->front().value_or(0) >= 1) {
            symbol.size = found->front();
            symbol.origin = "computed by " + node_text(node);
            has_found = true;
        }
    }
    for (const Node& layer : node.layers) {
        has_found = derive_learnt(plan, layer, &node) || has_found;
    }
    return has_found;
}

}  // namespace

void derive_learnt_sizes(Plan& plan) {
    for (bool has_found = true; std::exchange(has_found, false);) {
        for (const Node& node : plan.nodes) {
            has_found = derive_learnt(plan, node, nullptr) || has_found;
        }
    }
}

}  // namespace ptp::pipeline

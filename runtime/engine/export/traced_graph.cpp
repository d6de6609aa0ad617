// Reads the graph of libtorch's tracer. In-place operations become those that return their result,
// where nothing reads the old value afterwards.

#include "engine/export/traced_graph.hpp"

#include "base/ranges.hpp"
#include "engine/export/written_component.hpp"
#include "plugin/catalog.hpp"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ptp::engine {

namespace {

using torch::jit::Node;
using torch::jit::Value;

constexpr std::size_t kNowhere = SIZE_MAX;

// Operations whose result may be the memory of their input, and their schema does not state it.
constexpr std::array<std::string_view, 8> kMayAlias = {
    "reshape", "contiguous", "flatten", "to", "dropout", "unflatten", "feature_dropout", "type_as"};

// Operations whose results are filled by code that is not traced.
constexpr std::array<std::string_view, 4> kUnfilled = {"empty", "empty_like", "empty_strided",
                                                       "new_empty"};

std::string operation_of(const Node& node) {
    std::string name = node.kind().toUnqualString();
    return name;
}

// Returns whether the node changes its first input: "relu_", but not "__and__".
bool changes_input(const Node& node) {
    const auto* const schema = node.maybeSchema();
    if (schema == nullptr || schema->arguments().empty()) {
        return false;
    }
    const auto* const alias = schema->arguments().front().alias_info();
    return alias != nullptr && alias->isWrite();
}

bool may_alias(const Node& node) {
    const auto* const schema = node.maybeSchema();
    if (schema == nullptr) {
        return false;
    }
    const std::string name = operation_of(node);
    return std::ranges::find(kMayAlias, name) != kMayAlias.end() ||
           (!schema->arguments().empty() && schema->arguments().front().alias_info() != nullptr);
}

// Refuses changes of memory that is read under another name afterwards.
class MemoryCheck {
public:
    explicit MemoryCheck(const ForwardStage& stage) : stage_(stage) {}

    void run(torch::jit::Graph& graph) {
        std::size_t place = 0;
        for (const Node* node : graph.nodes()) {
            for (const Value* input : node->inputs()) {
                last_use_[input] = place;
            }
            const bool is_changed = changes_input(*node);
            if ((is_changed || may_alias(*node)) && !node->inputs().empty()) {
                for (const Value* output : node->outputs()) {
                    parent_[output] = root(node->inputs()[0]);
                }
            }
            if (node->kind() == torch::jit::prim::ListUnpack ||
                node->kind() == torch::jit::prim::TupleUnpack) {
                link_elements(*node);
            }
            if (is_changed) {
                changes_.emplace_back(node, place);
            }
            ++place;
        }
        for (const Value* output : graph.outputs()) {
            last_use_[output] = place;
        }
        for (const auto& [node, at] : changes_) {
            check(*node, at);
        }
    }

private:
    const Value* root(const Value* value) const {
        const auto found = parent_.find(value);
        return found == parent_.end() ? value : root(found->second);
    }

    // The elements of a list are parts of the memory that it is a view of.
    void link_elements(const Node& node) {
        const Node& maker = *node.input()->node();
        const bool is_made_of_values = maker.kind() == torch::jit::prim::ListConstruct ||
                                       maker.kind() == torch::jit::prim::TupleConstruct;
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            parent_[node.outputs()[i]] = root(is_made_of_values ? maker.inputs()[i] : node.input());
        }
    }

    // Values of the same memory that were made before the change must not be read after it.
    void check(const Node& change, std::size_t place) const {
        const Value* const memory = root(change.inputs()[0]);
        for (const auto& [value, use] : last_use_) {
            if (use > place && root(value) == memory && !is_made_after(*value, change)) {
                const std::size_t component = component_of(change);
                throw ExportError(component, stage_.forward[component]->title(),
                                  operation_of(change) +
                                      " changes memory that is read under another name "
                                      "afterwards, and an exported graph has no memory");
            }
        }
    }

    static bool is_made_after(const Value& value, const Node& change) {
        const Node* const maker = value.node();
        return maker == &change ||
               (maker->kind() != torch::jit::prim::Param && maker->isAfter(&change));
    }

    const ForwardStage& stage_;
    std::unordered_map<const Value*, const Value*> parent_;
    std::unordered_map<const Value*, std::size_t> last_use_;
    std::vector<std::pair<const Node*, std::size_t>> changes_;
};

class Reader {
public:
    Reader(const ForwardStage& stage, const std::vector<NamedWeight>& weights)
        : stage_(stage), weights_(weights) {}

    TracedGraph run(torch::jit::Graph& trace) {
        for (const Instance* instance : stage_.forward) {
            result_.graph.components.push_back(instance->title());
        }
        find_live(trace);
        for (std::size_t i = 0; i < trace.inputs().size(); ++i) {
            add_input(*trace.inputs()[i], i);
        }
        for (const Node* node : trace.nodes()) {
            if (live_.contains(node)) {
                read(*node);
            }
        }
        for (const Value* output : trace.outputs()) {
            result_.graph.outputs.push_back({"", tensor_of(*output)});
        }
        return std::move(result_);
    }

private:
    void find_live(torch::jit::Graph& trace) {
        std::set<const Value*> used(trace.outputs().begin(), trace.outputs().end());
        for (const Node* node : trace.nodes().reverse()) {
            const auto& outputs = node->outputs();
            if (std::ranges::any_of(outputs,
                                    [&](const Value* each) { return used.contains(each); })) {
                live_.insert(node);
                used.insert(node->inputs().begin(), node->inputs().end());
            }
        }
    }

    std::size_t add_tensor(GraphTensor tensor) {
        result_.graph.tensors.push_back(std::move(tensor));
        return result_.graph.tensors.size() - 1;
    }

    void add_input(const Value& value, std::size_t number) {
        GraphTensor tensor = described(value);
        if (number >= stage_.inputs.size()) {
            const NamedWeight& weight = weights_[number - stage_.inputs.size()];
            tensor = constant(weight.tensor);
            tensor.name = weight.name;
        } else {
            result_.graph.inputs.push_back(result_.graph.tensors.size());
        }
        values_[&value] = TensorIndex{add_tensor(std::move(tensor))};
    }

    static GraphTensor described(const Value& value) {
        GraphTensor tensor;
        const auto type = value.type()->cast<c10::TensorType>();
        if (type != nullptr && type->scalarType()) {
            tensor.type = graph_type(*type->scalarType());
        }
        if (const auto sizes = type == nullptr ? c10::nullopt : type->sizes().concrete_sizes()) {
            tensor.sizes =
                transformed(*sizes, [](std::int64_t size) { return GraphSize{.constant = size}; });
        }
        return tensor;
    }

    GraphTensor constant(const at::Tensor& tensor) {
        const at::Tensor kept = tensor.detach().contiguous();
        result_.constants.push_back(kept);
        return {.type = graph_type(kept.scalar_type()),
                .sizes = transformed(kept.sizes().vec(),
                                     [](std::int64_t size) { return GraphSize{.constant = size}; }),
                .data = kept.data_ptr(),
                .bytes = kept.nbytes()};
    }

    GraphArgument::Value constant_value(const c10::IValue& value) {
        if (value.isTensor()) {
            return TensorIndex{add_tensor(constant(value.toTensor()))};
        }
        if (value.isBool()) {
            return value.toBool();
        }
        if (value.isInt()) {
            return GraphSize{.constant = value.toInt()};
        }
        if (value.isDouble()) {
            return value.toDouble();
        }
        if (value.isString()) {
            return value.toStringRef();
        }
        if (value.isList()) {
            std::vector<GraphArgument> list;
            for (const c10::IValue& each : value.toListRef()) {
                list.push_back({"", constant_value(each)});
            }
            return list;
        }
        return std::monostate();  // None, devices and generators
    }

    const GraphArgument::Value& value_of(const Value& value) const { return values_.at(&value); }

    std::size_t tensor_of(const Value& value) const {
        return std::get<TensorIndex>(value_of(value)).index;
    }

    void read(const Node& node) {
        const auto kind = node.kind();
        if (kind == torch::jit::prim::Constant) {
            const auto value = torch::jit::toIValue(node.output());
            values_[node.output()] =
                value ? constant_value(*value) : GraphArgument::Value(std::monostate());
        } else if (kind == torch::jit::prim::ListConstruct ||
                   kind == torch::jit::prim::TupleConstruct) {
            std::vector<GraphArgument> list;
            for (const Value* input : node.inputs()) {
                list.push_back({"", value_of(*input)});
            }
            values_[node.output()] = std::move(list);
        } else if (kind == torch::jit::prim::ListUnpack || kind == torch::jit::prim::TupleUnpack) {
            unpack(node);
        } else if (kind == c10::Symbol::fromQualString(kWrittenKind)) {
            read_written(node);
        } else {
            read_operation(node);
        }
    }

    // The list that an operation returns becomes several outputs of it.
    void unpack(const Node& node) {
        const GraphArgument::Value list = value_of(*node.input());
        if (const auto* const known = std::get_if<std::vector<GraphArgument>>(&list)) {
            for (std::size_t i = 0; i < node.outputs().size(); ++i) {
                values_[node.outputs()[i]] = known->at(i).value;
            }
            return;
        }
        GraphNode& maker = result_.graph.nodes[makers_.at(node.input())];
        maker.outputs.clear();
        maker.returns_list = true;
        for (const Value* output : node.outputs()) {
            maker.outputs.push_back(add_tensor(described(*output)));
            values_[output] = TensorIndex{maker.outputs.back()};
        }
    }

    // The arguments are the values that the operators begin with, under their names.
    void read_written(const Node& node) {
        Instance& instance = *stage_.forward[component_of(node)];
        const WrittenComponent made = write_component(instance);
        GraphNode read{.operation = kWrittenOperation, .component = component_of(node)};
        read.written = made.operators;
        std::size_t place = 0;
        const auto add_argument = [&](const std::map<std::string, std::string>& names,
                                      const std::string& name) {
            if (const auto found = names.find(name); found != names.end()) {
                read.arguments.push_back({found->second, value_of(*node.inputs()[place])});
            }
            ++place;
        };
        for (const pipeline::Binding& input : instance.node().inputs) {
            if (input.stream >= 0) {
                add_argument(made.inputs, instance.node().port(input).name);
            }
        }
        for (const NamedTensor& weight : instance.tensors()) {
            add_argument(made.weights, weight.name);
        }
        for (const auto& [name, tensor] : made.constants) {
            read.arguments.push_back({name, TensorIndex{add_tensor(constant(tensor))}});
        }
        std::size_t output = 0;
        for (const pipeline::Binding& each : instance.node().outputs) {
            if (each.stream >= 0) {
                const Value* const value = node.outputs()[output++];
                read.results.push_back(made.outputs.at(instance.node().port(each).name));
                read.outputs.push_back(add_tensor(described(*value)));
                values_[value] = TensorIndex{read.outputs.back()};
            }
        }
        result_.graph.nodes.push_back(std::move(read));
    }

    void read_operation(const Node& node) {
        if (std::ranges::find(kUnfilled, operation_of(node)) != kUnfilled.end()) {
            const std::size_t component = component_of(node);
            throw ExportError(component, stage_.forward[component]->title(),
                              "it fills memory of its own, which an exported graph does not see");
        }
        GraphNode read{.operation = operation_of(node), .component = component_of(node)};
        if (changes_input(node) && read.operation.ends_with('_')) {
            read.operation.pop_back();
        }
        const auto* const schema = node.maybeSchema();
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            const std::string name = schema != nullptr && i < schema->arguments().size()
                                         ? schema->arguments()[i].name()
                                         : "";
            read.arguments.push_back({name, value_of(*node.inputs()[i])});
        }
        for (const Value* output : node.outputs()) {
            read.outputs.push_back(add_tensor(described(*output)));
            values_[output] = TensorIndex{read.outputs.back()};
            makers_[output] = result_.graph.nodes.size();
        }
        result_.graph.nodes.push_back(std::move(read));
    }

    const ForwardStage& stage_;
    const std::vector<NamedWeight>& weights_;
    TracedGraph result_;
    std::set<const Node*> live_;
    std::unordered_map<const Value*, GraphArgument::Value> values_;
    std::unordered_map<const Value*, std::size_t> makers_;  // indices of nodes
};

}  // namespace

GraphType graph_type(at::ScalarType type) {
    switch (type) {
        case at::kFloat:
            return GraphType::kFloat;
        case at::kDouble:
            return GraphType::kDouble;
        case at::kHalf:
            return GraphType::kHalf;
        case at::kLong:
            return GraphType::kInt64;
        case at::kInt:
            return GraphType::kInt32;
        case at::kByte:
            return GraphType::kByte;
        case at::kBool:
            return GraphType::kBool;
        default:
            return GraphType::kOther;
    }
}

TracedGraph read_trace(torch::jit::Graph& trace, const ForwardStage& stage,
                       const std::vector<NamedWeight>& weights) {
    MemoryCheck(stage).run(trace);
    return Reader(stage, weights).run(trace);
}

}  // namespace ptp::engine

// Compares traces operation by operation and argument by argument.

#include "engine/export/merge_traces.hpp"

#include "base/text.hpp"
#include "engine/export/size_solver.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace ptp::engine {

namespace {

class Merger {
public:
    Merger(const std::vector<TracedGraph>& traces, const std::vector<DynamicSize>& dimensions,
           const std::vector<std::vector<std::int64_t>>& sizes)
        : traces_(traces), sizes_(sizes), merged_(traces.front().graph) {
        merged_.dimensions = dimensions;
    }

    ForwardGraph run() {
        for (std::size_t i = 0; i < merged_.nodes.size(); ++i) {
            merge_node(i);
        }
        for (const TracedGraph& trace : traces_) {
            if (trace.graph.nodes.size() != merged_.nodes.size()) {
                const auto& longer = trace.graph.nodes.size() > merged_.nodes.size()
                                         ? trace.graph.nodes
                                         : merged_.nodes;
                refuse_other_operations(longer.back().component, trace);
            }
        }
        for (std::size_t i = 0; i < merged_.tensors.size(); ++i) {
            merge_tensor(i);
        }
        for (std::size_t i = 0; i < merged_.outputs.size(); ++i) {
            require_same(i);
        }
        return std::move(merged_);
    }

private:
    // "batch = 3, L = 7"
    [[nodiscard]] std::string sizes_of(std::size_t trace) const {
        std::string text;
        for (std::size_t i = 0; i < merged_.dimensions.size(); ++i) {
            text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", merged_.dimensions[i].name,
                                sizes_[trace][i]);
        }
        return text;
    }

    // "; or --fixed L keeps this size as it is in the data"
    [[nodiscard]] std::string advice() const {
        std::string options;
        for (std::size_t i = 1; i < merged_.dimensions.size(); ++i) {
            options += " --fixed " + merged_.dimensions[i].name;
        }
        return options.empty()
                   ? ""
                   : fmt::format("{} exports the size of the data alone", options.substr(1));
    }

    [[noreturn]] void refuse(std::size_t component, const std::string& why) const {
        throw ExportError(component, merged_.components[component], why, advice());
    }

    [[noreturn]] void refuse_other_operations(std::size_t component,
                                              const TracedGraph& trace) const {
        const auto number = static_cast<std::size_t>(&trace - traces_.data());
        refuse(component,
               fmt::format("it computes other operations for {} than for {}: a loop, or a case, "
                           "depends on the size",
                           sizes_of(number), sizes_of(0)));
    }

    void merge_node(std::size_t index) {
        GraphNode& node = merged_.nodes[index];
        for (const TracedGraph& trace : traces_) {
            const auto& others = trace.graph.nodes;
            if (index >= others.size() || others[index].operation != node.operation ||
                others[index].component != node.component ||
                others[index].outputs != node.outputs ||
                others[index].arguments.size() != node.arguments.size() ||
                others[index].written != node.written || others[index].results != node.results) {
                refuse_other_operations(node.component, trace);
            }
        }
        for (std::size_t i = 0; i < node.arguments.size(); ++i) {
            std::vector<const GraphArgument*> others;
            for (const TracedGraph& trace : traces_) {
                others.push_back(&trace.graph.nodes[index].arguments[i]);
            }
            merge(node.arguments[i], others, node, node.arguments[i].name);
        }
    }

    void merge(GraphArgument& merged, const std::vector<const GraphArgument*>& others,
               const GraphNode& node, const std::string& name) {
        for (std::size_t i = 0; i < others.size(); ++i) {
            if (others[i]->value.index() != merged.value.index()) {
                refuse_other_operations(node.component, traces_[i]);
            }
        }
        if (auto* const list = std::get_if<std::vector<GraphArgument>>(&merged.value)) {
            merge_list(*list, others, node, name);
        } else if (auto* const size = std::get_if<GraphSize>(&merged.value)) {
            std::vector<std::int64_t> values;
            for (const GraphArgument* other : others) {
                values.push_back(std::get<GraphSize>(other->value).constant);
            }
            const auto solved = solve_size(values, sizes_);
            if (!solved) {
                refuse_number(node, name, fmt::format("{}", fmt::join(values, ", ")));
            }
            *size = *solved;
        } else if (const auto* const real = std::get_if<double>(&merged.value)) {
            std::vector<double> values;
            for (const GraphArgument* other : others) {
                values.push_back(std::get<double>(other->value));
            }
            if (std::ranges::any_of(values, [&](double each) { return each != *real; })) {
                refuse_number(node, name, fmt::format("{}", fmt::join(values, ", ")));
            }
        } else if (std::ranges::any_of(others, [&](const GraphArgument* other) {
                       return !is_equal(other->value, merged.value);
                   })) {
            refuse(node.component,
                   fmt::format("the argument '{}' of {} is another one for other sizes", name,
                               node.operation));
        }
    }

    static bool is_equal(const GraphArgument::Value& one, const GraphArgument::Value& other) {
        if (const auto* const text = std::get_if<std::string>(&one)) {
            return *text == std::get<std::string>(other);
        }
        if (const auto* const flag = std::get_if<bool>(&one)) {
            return *flag == std::get<bool>(other);
        }
        if (const auto* const tensor = std::get_if<TensorIndex>(&one)) {
            return *tensor == std::get<TensorIndex>(other);
        }
        return true;
    }

    [[noreturn]] void refuse_number(const GraphNode& node, const std::string& name,
                                    const std::string& values) const {
        std::string cases;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            cases += fmt::format("{}{}", i == 0 ? "" : "; ", sizes_of(i));
        }
        refuse(node.component,
               fmt::format("'{}' of {} is a number of its code that does not follow from the "
                           "sizes of the inputs: {} for {}",
                           name, node.operation, values, cases));
    }

    void merge_list(std::vector<GraphArgument>& list,
                    const std::vector<const GraphArgument*>& others, const GraphNode& node,
                    const std::string& name) {
        for (std::size_t i = 0; i < others.size(); ++i) {
            if (std::get<std::vector<GraphArgument>>(others[i]->value).size() != list.size()) {
                refuse_other_operations(node.component, traces_[i]);
            }
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            std::vector<const GraphArgument*> elements;
            for (const GraphArgument* other : others) {
                elements.push_back(&std::get<std::vector<GraphArgument>>(other->value)[i]);
            }
            merge(list[i], elements, node, name);
        }
    }

    // The sizes of a tensor are for information: those that no formula has stay unknown.
    void merge_tensor(std::size_t index) {
        GraphTensor& tensor = merged_.tensors[index];
        for (const TracedGraph& trace : traces_) {
            const GraphTensor& other = trace.graph.tensors[index];
            if (tensor.data != nullptr && tensor.name.empty() &&
                (other.bytes != tensor.bytes ||
                 std::memcmp(other.data, tensor.data, tensor.bytes) != 0)) {
                refuse(reader_of(index),
                       "it computes a tensor outside of libtorch's operations, whose values "
                       "depend on the inputs");
            }
            if (other.type != tensor.type || other.sizes.size() != tensor.sizes.size()) {
                refuse(reader_of(index),
                       "a tensor of it has another type or number of dimensions for other sizes");
            }
        }
        for (std::size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
            std::vector<std::int64_t> values;
            for (const TracedGraph& trace : traces_) {
                values.push_back(trace.graph.tensors[index].sizes[axis].constant);
            }
            const auto solved = solve_size(values, sizes_);
            tensor.sizes[axis] = solved ? *solved : GraphSize{.is_known = false};
        }
    }

    // Returns the component that reads a tensor, or writes it.
    [[nodiscard]] std::size_t reader_of(std::size_t tensor) const {
        for (const GraphNode& node : merged_.nodes) {
            const bool writes = std::ranges::find(node.outputs, tensor) != node.outputs.end();
            if (writes || node.reads(tensor)) {
                return node.component;
            }
        }
        return merged_.components.size() - 1;
    }

    void require_same(std::size_t output) const {
        for (const TracedGraph& trace : traces_) {
            if (trace.graph.outputs[output].tensor != merged_.outputs[output].tensor) {
                refuse_other_operations(merged_.components.size() - 1, trace);
            }
        }
    }

    const std::vector<TracedGraph>& traces_;
    const std::vector<std::vector<std::int64_t>>& sizes_;
    ForwardGraph merged_;
};

}  // namespace

ForwardGraph merge_traces(const std::vector<TracedGraph>& traces,
                          const std::vector<DynamicSize>& dimensions,
                          const std::vector<std::vector<std::int64_t>>& sizes) {
    return Merger(traces, dimensions, sizes).run();
}

}  // namespace ptp::engine

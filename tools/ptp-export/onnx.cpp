// Finds the row of each operation, in the order of the graph.

#include "ptp-export/onnx.hpp"

#include "base/ranges.hpp"
#include "ptp-export/rows.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace ptp::onnx {

namespace {

std::array<std::span<const Row>, 6> tables() {
    return {layer_rows(), shape_rows(),     number_rows(),
            array_rows(), recurrent_rows(), written_rows()};
}

const Row* row_of(std::string_view operation) {
    for (const std::span<const Row> table : tables()) {
        const auto found = std::ranges::find(table, operation, &Row::operation);
        if (found != table.end()) {
            return &*found;
        }
    }
    return nullptr;
}

std::vector<Dimension> dimensions_of(const GraphTensor& tensor, const ForwardGraph& graph) {
    return transformed(tensor.sizes, [&](const GraphSize& size) -> Dimension {
        if (size.is_constant()) {
            return size.constant;
        }
        const bool is_plain =
            size.is_known && size.factor == 1 && size.constant == 0 && size.dimensions.size() == 1;
        return is_plain ? graph.dimensions[size.dimensions.front()].name : std::string();
    });
}

}  // namespace

void translate(const ForwardGraph& graph, OnnxFile& file) {
    for (const std::size_t input : graph.inputs) {
        const GraphTensor& tensor = graph.tensors[input];
        file.add_input(tensor.name, tensor.type, dimensions_of(tensor, graph));
    }
    Translation translation(graph, file);
    for (const GraphNode& node : graph.nodes) {
        translation.begin(node);
        const Row* const row = row_of(node.operation);
        if (row == nullptr) {
            translation.refuse("ptp cannot write this operation as ONNX");
        }
        row->write(translation);
    }
    for (const engine::GraphOutput& output : graph.outputs) {
        const GraphTensor& tensor = graph.tensors[output.tensor];
        file.add({output.name,
                  "Identity",
                  {translation.name_of(engine::TensorIndex{output.tensor})},
                  {output.name}});
        file.add_output(output.name, tensor.type, dimensions_of(tensor, graph));
    }
}

std::vector<std::string> known_operations() {
    std::vector<std::string> names;
    for (const std::span<const Row> table : tables()) {
        for (const Row& row : table) {
            names.emplace_back(row.operation);
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace ptp::onnx

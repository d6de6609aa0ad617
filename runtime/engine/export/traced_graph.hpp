// A trace as a plain list of operations, without what its outputs do not depend on.

#pragma once

#include "engine/export/trace.hpp"
#include "engine/export_request.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace ptp::engine {

// The graph of one trace: every integer is a constant. Tensors are numbered in the order in which
// they appear, so that traces of the same operations have the same numbers.
struct TracedGraph {
    ForwardGraph graph;
    std::vector<at::Tensor> constants;  // own the data of the graph's constants
};

// `titles` are those of the components. Throws RunError where an operation changes memory that
// another one reads afterwards, which a graph without memory cannot express.
TracedGraph read_trace(torch::jit::Graph& trace, const ForwardStage& stage,
                       const std::vector<NamedWeight>& weights);

// Returns the type of a tensor, and describes a tensor whose data stay where they are.
GraphType graph_type(at::ScalarType type);

}  // namespace ptp::engine

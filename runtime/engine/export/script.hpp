// Writes a graph as TorchScript.

#pragma once

#include "engine/export/trace.hpp"
#include "engine/export_request.hpp"

#include <filesystem>
#include <vector>

namespace ptp::engine {

// Writes a module whose forward() takes the inputs of the graph, in order, and returns its output,
// or a tuple of them. Its submodules are the components, with the weights under their names. Throws
// RunError.
void write_script(const std::filesystem::path& path, const ForwardGraph& graph,
                  const std::vector<NamedWeight>& weights);

// Returns what such a file computes. Throws RunError.
std::vector<at::Tensor> run_script(const std::filesystem::path& path,
                                   const std::vector<at::Tensor>& inputs);

}  // namespace ptp::engine

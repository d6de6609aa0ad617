// Writes a graph as TorchScript, and runs it.

#pragma once

#include "engine/export/trace.hpp"
#include "engine/export_request.hpp"

#include <filesystem>
#include <memory>
#include <vector>

namespace ptp::engine {

// Writes a module whose forward() takes the inputs of the graph, in order, and returns its output,
// or a tuple of them. Its submodules are the components, with the weights under their names. Throws
// RunError.
void write_script(const std::filesystem::path& path, const ForwardGraph& graph,
                  const std::vector<NamedWeight>& weights);

// A graph that libtorch's interpreter computes.
class RunningScript {
public:
    // Throws RunError.
    RunningScript(const ForwardGraph& graph, const std::vector<NamedWeight>& weights);
    explicit RunningScript(const std::filesystem::path& path);  // a file of write_script()
    ~RunningScript();
    RunningScript(const RunningScript&) = delete;
    RunningScript& operator=(const RunningScript&) = delete;

    // Returns the outputs of the graph. Throws RunError.
    std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs);

private:
    struct Module;
    std::unique_ptr<Module> module_;
};

}  // namespace ptp::engine

// Records the operations of libtorch that the components of a forward stage compute with.

#pragma once

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/frame.hpp"
#include "engine/export/forward_stage.hpp"

#include <ATen/core/Tensor.h>
#include <ptp/abi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ptp::engine {

// A component cannot be exported.
class ExportError : public WithFix<RunError> {
public:
    // `component` is its index in ForwardStage::forward.
    ExportError(std::size_t component, ExitCode code, const Explanation& why)
        : WithFix(code, why), component_(component) {}
    ExportError(std::size_t component, const std::string& title, const std::string& why,
                const std::string& fix = "")
        : ExportError(component, kConfigurationError,
                      {"cannot export " + title + ": " + why, fix}) {}

    [[nodiscard]] std::size_t component() const { return component_; }

private:
    std::size_t component_;
};

// A tensor of a component, under the name that it has in a state_dict of PyTorch.
struct NamedWeight {
    std::string name;  // "net.conv1.weight"
    at::Tensor tensor;
    bool is_parameter = true;  // else a buffer
};

// Returns the weights of components; one that several share is there once.
std::vector<NamedWeight> weights_of(const std::vector<Instance*>& components);

// Returns the index in ForwardStage::forward of the component that a node belongs to.
std::size_t component_of(const torch::jit::Node& node);

struct TraceParts {
    const ForwardStage& stage;
    const std::vector<NamedWeight>& weights;
    Frame& frame;
    ptp_step step;
    bool lets_write = false;  // components that write operators of ONNX do so, and are not traced
};

// The kind of the node of a component that writes itself. Its inputs are the wired inputs of the
// component, then its tensors; its outputs are the wired ones.
inline constexpr const char* kWrittenKind = "ptp::written";

// Runs the stage on these inputs, and returns its operations. The inputs of the graph are those of
// the stage, then the weights; its outputs are those of the stage. In-place operations are recorded
// as they are. Throws ExportError where a component fails, and where an output does not come of
// operations of libtorch.
std::shared_ptr<torch::jit::Graph> trace_forward(const TraceParts& parts,
                                                 const std::vector<at::Tensor>& inputs);

}  // namespace ptp::engine

// Traces with the tracer of libtorch. Weights are inputs of the traced graph, so that it needs no
// module; nodes know their component by their scope.

#include "engine/export/trace.hpp"

#include "engine/component/observation.hpp"
#include "engine/export/stage_inputs.hpp"

#include <ATen/TracerMode.h>
#include <fmt/core.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/scope.h>

#include <charconv>
#include <set>
#include <string_view>

namespace ptp::engine {

namespace {

namespace tracer = torch::jit::tracer;

// While it exists, operations on this thread are recorded.
class Recording {
public:
    Recording() : state_(std::make_shared<tracer::TracingState>()) {
        state_->warn = false;
        tracer::setTracingState(state_);
    }
    ~Recording() { tracer::setTracingState(nullptr); }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    [[nodiscard]] tracer::TracingState& state() { return *state_; }
    [[nodiscard]] std::shared_ptr<torch::jit::Graph> graph() { return state_->graph; }

    void add_input(const at::Tensor& tensor) {
        torch::jit::Value* const value = state_->graph->addInput();
        value->inferTypeFrom(tensor);
        state_->setValue(tensor, value);
    }

private:
    std::shared_ptr<tracer::TracingState> state_;
};

// Refuses the component that writes a stream in code of its own. The fix names the numbers that
// the component also writes, such as the scores behind words, if libtorch has computed those.
void refuse_unseen(const TraceParts& parts, int stream, Recording& recording) {
    const ForwardStage& stage = parts.stage;
    for (std::size_t i = 0; i < stage.forward.size(); ++i) {
        const auto& outputs = stage.forward[i]->node().outputs;
        for (const pipeline::Binding& output : outputs) {
            if (output.stream == stream) {
                const auto other = std::ranges::find_if(outputs, [&](const auto& one) {
                    return one.stream >= 0 && parts.frame[one.stream].tensor.defined() &&
                           parts.frame[one.stream].tensor.is_floating_point() &&
                           recording.state().hasValue(parts.frame[one.stream].tensor);
                });
                throw ExportError(
                    i, stage.forward[i]->title(),
                    fmt::format("its output '{}' does not come of operations of libtorch on its "
                                "inputs, but of its own code",
                                output.wire.stream.empty() ? output.name : output.wire.stream),
                    other == outputs.end() ? "" : "--stream " + other->wire.stream);
            }
        }
    }
}

// Refuses the component whose call has failed. libtorch's tracer refuses operations that draw from
// a generator.
[[noreturn]] void refuse_failed(std::size_t component, const std::string& title,
                                const RunError& error) {
    if (std::string_view(error.what()).find("JIT tracer: at::Generator") ==
        std::string_view::npos) {
        throw ExportError(component, error.code(), explanation_of(error));
    }
    throw ExportError(component, title,
                      "it draws random numbers from the generator of the run, which an exported "
                      "graph does not have");
}

// Computes without a trace, and records one node for all of the component.
void call_unseen(Instance& instance, Frame& frame, const ptp_step& step, Recording& recording) {
    tracer::TracingState& state = recording.state();
    std::vector<torch::jit::Value*> inputs;
    for (const pipeline::Binding& input : instance.node().inputs) {
        if (input.stream >= 0) {
            inputs.push_back(state.getValue(frame[input.stream].tensor));
        }
    }
    for (const NamedTensor& weight : instance.tensors()) {
        inputs.push_back(state.getValue(weight.tensor));
    }
    {
        const at::tracer::impl::NoTracerDispatchMode without_trace;
        call(instance, frame, step);
    }
    std::vector<int> outputs;
    for (const pipeline::Binding& output : instance.node().outputs) {
        if (output.stream >= 0) {
            outputs.push_back(output.stream);
        }
    }
    torch::jit::Node* const node = recording.graph()->insertNode(recording.graph()->create(
        c10::Symbol::fromQualString(kWrittenKind), inputs, outputs.size()));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const at::Tensor& tensor = frame[outputs[i]].tensor;
        node->outputs()[i]->inferTypeFrom(tensor);
        state.setValue(tensor, node->outputs()[i]);
    }
}

}  // namespace

std::vector<NamedWeight> weights_of(const std::vector<Instance*>& components) {
    std::vector<NamedWeight> weights;
    std::set<const void*> known;
    for (Instance* const instance : components) {
        for (const NamedTensor& named : instance->tensors()) {
            if (known.insert(named.tensor.unsafeGetTensorImpl()).second) {
                weights.push_back({instance->node().name + "." + named.name, named.tensor,
                                   named.role == PTP_PARAMETER});
            }
        }
    }
    return weights;
}

std::size_t component_of(const torch::jit::Node& node) {
    const std::string_view name =
        const_cast<torch::jit::Node&>(node).scope()->name().toUnqualString();
    std::size_t component = 0;
    std::from_chars(name.data(), name.data() + name.size(), component);
    return component;
}

std::shared_ptr<torch::jit::Graph> trace_forward(const TraceParts& parts,
                                                 const std::vector<at::Tensor>& inputs) {
    const Observation observation;
    Recording recording;
    const auto& streams = parts.stage.inputs;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        recording.add_input(inputs[i]);
        parts.frame[streams[i]].tensor = inputs[i];
    }
    for (const NamedWeight& weight : parts.weights) {
        recording.add_input(weight.tensor);
    }
    const auto root = c10::make_intrusive<torch::jit::Scope>();
    for (std::size_t i = 0; i < parts.stage.forward.size(); ++i) {
        recording.graph()->set_current_scope(
            root->push(c10::Symbol::fromQualString("scope::" + std::to_string(i))));
        Instance& instance = *parts.stage.forward[i];
        try {
            if (parts.lets_write && instance.writes_onnx() && !instance.node().passes_on(0)) {
                call_unseen(instance, parts.frame, parts.step, recording);
            } else {
                call(instance, parts.frame, parts.step);
            }
        } catch (const RunError& error) {
            refuse_failed(i, instance.title(), error);
        }
    }
    for (const int stream : parts.stage.outputs) {
        const at::Tensor& tensor = parts.frame[stream].tensor;
        if (!recording.state().hasValue(tensor)) {
            refuse_unseen(parts, stream, recording);
        }
        recording.graph()->registerOutput(recording.state().getValue(tensor));
    }
    return recording.graph();
}

}  // namespace ptp::engine

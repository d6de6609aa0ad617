// The gradients that a recorded component receives and returns.

#include "engine/component/recorder.hpp"
#include "engine/component/slot.hpp"

#include <algorithm>

namespace ptp::engine {

namespace {

bool has_gradients_of(plugin::Kind kind) {
    return kind != plugin::Kind::kStatistic && kind != plugin::Kind::kViewer &&
           kind != plugin::Kind::kPublisher;
}

}  // namespace

bool Recorder::keeps_gradients() const {
    const auto shares = [&](const pipeline::Node& node) { return node.share == node_->name; };
    return has_gradients_of(node_->component->kind) && std::ranges::none_of(plan_->nodes, shares);
}

// Returns whether all gradients of the stream come from this component.
bool Recorder::is_only_reader(int stream) const {
    int readers = 0;
    for (const pipeline::Node& node : plan_->nodes) {
        if (has_gradients_of(node.component->kind)) {
            readers += static_cast<int>(
                std::ranges::count(node.inputs, stream, &pipeline::Binding::stream));
        }
        for (const pipeline::Binding& output : node.outputs) {
            const plugin::Port& port = node.component->ports[static_cast<std::size_t>(output.port)];
            readers += output.stream == stream && port.is_loss ? 1 : 0;
        }
    }
    return readers == 1;
}

void Recorder::watch_inputs(const CallPointer& call, const CallValues& values) {
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
        const pipeline::Binding& input = node_->inputs[i];
        if (input.stream < 0 || values.inputs[i] == nullptr ||
            !is_tensor(values.input_elements[i]) || !is_only_reader(input.stream)) {
            continue;
        }
        const at::Tensor& tensor = as_tensor(values.inputs[i]);
        if (tensor.defined() && tensor.requires_grad()) {
            tensor.register_hook(
                [this, call, name = "gradient/input/" + stream_name(input)](
                    const at::Tensor& gradient) { add_gradient(call, name, gradient); });
        }
    }
}

void Recorder::watch_outputs(const CallPointer& call, const CallValues& values) {
    for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
        const pipeline::Binding& output = node_->outputs[i];
        if (output.stream < 0 || !is_tensor(values.output_elements[i])) {
            continue;
        }
        const at::Tensor& tensor = as_tensor(values.outputs[i]);
        if (tensor.defined() && tensor.requires_grad()) {
            tensor.register_hook(
                [this, call, name = "gradient/output/" + stream_name(output)](
                    const at::Tensor& gradient) { add_gradient(call, name, gradient); });
        }
    }
}

// Adds hooks, since a hook on a parameter sees what one backward pass adds to its gradient.
void Recorder::watch_parameters() {
    for (const NamedTensor& named : instance_->tensors()) {
        const auto is_it = [&](const auto& each) { return each.first.is_same(named.tensor); };
        if (!named.tensor.requires_grad() || std::ranges::any_of(watched_, is_it)) {
            continue;
        }
        const unsigned hook = named.tensor.register_hook(
            [this, name = "gradient/parameter/" + named.name](const at::Tensor& gradient) {
                add_gradient(nullptr, name, gradient);
            });
        watched_.emplace_back(named.tensor, hook);
    }
}

void Recorder::add_gradient(const CallPointer& call, const std::string& name,
                            const at::Tensor& gradient) {
    const std::scoped_lock lock(mutex_);
    const CallPointer& of = call == nullptr ? latest_ : call;
    if (of == nullptr || is_written_ || !gradient.defined()) {
        return;
    }
    const auto has_name = [&](const auto& each) { return each.first == name; };
    if (std::ranges::any_of(of->gradients, has_name)) {
        of->has_several_passes = true;
        return;
    }
    const at::Tensor plain = gradient.detach();
    const at::Tensor dense = plain.is_sparse() ? plain.to_dense() : plain;
    of->gradients.emplace_back(name, dense.clone(c10::MemoryFormat::Contiguous).cpu());
    bytes_ += of->gradients.back().second.nbytes();
}

}  // namespace ptp::engine

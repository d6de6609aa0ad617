// Records the values in a call, the component's own tensors, and the gradients that it receives and
// returns.

#include "base/error.hpp"
#include "engine/component/components.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/sizes.hpp"
#include "solo/recorder.hpp"

#include <ATen/ops/equal.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::solo {

namespace {

void append_text(Value& facts, const char* list, const std::string& text) {
    if (facts.find(list) == nullptr) {
        facts.set(list, Value::list({}));
    }
    facts.find(list)->items().emplace_back(text);
}

Value& table_in(Value& facts, const char* name) {
    return facts.find(name) != nullptr ? *facts.find(name) : facts.set(name, Value::table());
}

bool is_equal(const at::Tensor& left, const at::Tensor& right) {
    return left.scalar_type() == right.scalar_type() && left.sizes() == right.sizes() &&
           at::equal(left, right);
}

at::Tensor dense_copy(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.detach();
    const at::Tensor dense = plain.is_sparse() ? plain.to_dense() : plain;
    return dense.clone(c10::MemoryFormat::Contiguous).cpu();
}

}  // namespace

// Adds tensors that others have changed since the last call: the optimizer, or a file of weights.
void Recorder::add_given(RecordedCall& call) {
    std::vector<std::string> trained;
    std::vector<NamedTensor> tensors = instance_->tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        NamedTensor& named = tensors[i];
        if (named.tensor.requires_grad()) {
            trained.push_back(named.name);
        }
        named.tensor = named.tensor.detach();
        if (i >= seen_.size() || !is_equal(seen_[i].tensor, named.tensor)) {
            named.tensor = named.tensor.clone();
            add_tensor(call, "given/" + named.name, named.tensor);
        } else {
            named.tensor = seen_[i].tensor;
        }
    }
    seen_ = std::move(tensors);
    if (trained != trained_) {
        call.facts.set("trained", recorded_list(trained));
        trained_ = std::move(trained);
    }
    std::vector<at::Tensor> states = generator_states(*instance_);
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (i >= generators_.size() || !is_equal(generators_[i], states[i])) {
            add_tensor(call, fmt::format("generator/{}", i), states[i]);
        }
    }
    generators_ = std::move(states);
}

// Adds tensors that the component itself has changed, such as running means.
void Recorder::add_changed(RecordedCall& call) {
    std::vector<NamedTensor> tensors = instance_->tensors();
    for (std::size_t i = 0; i < tensors.size() && i < seen_.size(); ++i) {
        const at::Tensor now = tensors[i].tensor.detach();
        if (!is_equal(seen_[i].tensor, now)) {
            seen_[i].tensor = now.clone();
            add_tensor(call, "changed/" + seen_[i].name, now);
        }
    }
}

std::string Recorder::stream_name(const pipeline::Binding& binding) const {
    return plan_->streams[static_cast<std::size_t>(binding.stream)].name;
}

void Recorder::add_values(RecordedCall& call, const char* what,
                          const std::vector<pipeline::Binding>& bindings,
                          std::span<const ptp_value* const> values,
                          std::span<const ptp_element> elements) {
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        if (bindings[i].stream >= 0 && values[i] != nullptr) {
            add_value(call, fmt::format("{}/{}", what, stream_name(bindings[i])), elements[i],
                      values[i]);
        }
    }
}

void Recorder::add_value(RecordedCall& call, const std::string& name, ptp_element element,
                         const ptp_value* value) {
    if (element == PTP_STRING || element == PTP_TOKENS) {
        const auto& text = *reinterpret_cast<const ptp_text*>(value);
        if (text.offsets == nullptr) {
            append_text(call.facts, "absent", name);
            return;
        }
        const std::uint64_t bytes = text.offsets[text.string_count];
        add_tensor(call, name + "/bytes", recorded_memory(text.bytes, bytes, at::kByte));
        add_tensor(call, name + "/offsets",
                   recorded_memory(text.offsets, text.string_count + 1, at::kLong));
        if (text.rows != nullptr) {
            add_tensor(call, name + "/rows",
                       recorded_memory(text.rows, text.row_count + 1, at::kLong));
        }
        return;
    }
    if (element == PTP_TENSOR_LIST) {
        const auto& list = *reinterpret_cast<const ptp_tensor_list*>(value);
        table_in(call.facts, "counts").set(name, list.count);
        for (std::uint64_t i = 0; i < list.count; ++i) {
            add_tensor(call, fmt::format("{}/{}", name, i), engine::as_tensor(list.items[i]));
        }
        return;
    }
    add_tensor(call, name, engine::as_tensor(value));
}

void Recorder::add_tensor(RecordedCall& call, const std::string& name, const at::Tensor& tensor) {
    if (!tensor.defined()) {
        append_text(call.facts, "absent", name);
        return;
    }
    const at::ScalarType type = tensor.scalar_type();
    if (c10::isComplexType(type) || c10::isQIntType(type)) {
        throw RunError(kTrainingError,
                       fmt::format("{}: '{}' is a tensor of {}, which a recording cannot hold",
                                   pipeline::node_text(*node_), name, c10::toString(type)));
    }
    const at::Tensor detached = tensor.detach();
    const at::Tensor dense = detached.is_sparse() ? detached.to_dense() : detached;
    if (tensor.requires_grad()) {
        append_text(call.facts, "with_gradient", name);
    }
    if (!dense.is_contiguous() && dense.is_non_overlapping_and_dense()) {
        table_in(call.facts, "strides").set(name, recorded_list(dense.strides()));
    }
    call.tensors.emplace_back(name, dense.clone(c10::MemoryFormat::Contiguous).cpu());
    bytes_ += call.tensors.back().second.nbytes();
}

bool Recorder::keeps_gradients() const {
    const auto shares = [&](const pipeline::Node& node) { return node.share == node_->name; };
    return engine::takes_part_in_learning(node_->component->kind) &&
           std::ranges::none_of(plan_->nodes, shares);
}

// Returns whether all gradients of the stream come from this component.
bool Recorder::is_only_reader(int stream) const {
    int readers = 0;
    for (const pipeline::Node& node : plan_->nodes) {
        if (engine::takes_part_in_learning(node.component->kind)) {
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

// Adds the gradients that reach a value, under this name, when the backward pass has them.
void Recorder::watch(const CallPointer& call, const std::string& name, const ptp_value* value) {
    const at::Tensor& tensor = engine::as_tensor(value);
    if (tensor.defined() && tensor.requires_grad()) {
        tensor.register_hook(
            [this, call, name](const at::Tensor& gradient) { add_gradient(call, name, gradient); });
    }
}

void Recorder::watch_inputs(const CallPointer& call, const CallValues& values) {
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
        const pipeline::Binding& input = node_->inputs[i];
        if (input.stream >= 0 && values.inputs[i] != nullptr &&
            engine::is_tensor(values.input_elements[i]) && is_only_reader(input.stream)) {
            watch(call, "gradient/input/" + stream_name(input), values.inputs[i]);
        }
    }
}

void Recorder::watch_outputs(const CallPointer& call, const CallValues& values) {
    for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
        const pipeline::Binding& output = node_->outputs[i];
        if (output.stream >= 0 && engine::is_tensor(values.output_elements[i])) {
            watch(call, "gradient/output/" + stream_name(output), values.outputs[i]);
        }
    }
}

// Adds a hook to each trained parameter, once. It sees what one backward pass adds, not the sum in
// `grad`.
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
    of->gradients.emplace_back(name, dense_copy(gradient));
    bytes_ += of->gradients.back().second.nbytes();
}

}  // namespace ptp::solo

// Records the values in a call, and the component's own tensors.

#include "base/error.hpp"
#include "engine/component/recorded_facts.hpp"
#include "engine/component/recorder.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/sizes.hpp"

#include <ATen/ops/equal.h>
#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

namespace {

Value list_of_sizes(at::IntArrayRef numbers) {
    std::vector<Value> items;
    for (const std::int64_t number : numbers) {
        items.emplace_back(number);
    }
    return Value::list(std::move(items));
}

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

std::vector<at::Tensor> states_of(Instance& instance) {
    std::vector<at::Tensor> states;
    for (at::Generator& generator : instance.generators()) {
        const std::scoped_lock lock(generator.mutex());
        states.push_back(generator.get_state());
    }
    return states;
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
    std::vector<at::Tensor> states = states_of(*instance_);
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
            add_tensor(call, fmt::format("{}/{}", name, i), as_tensor(list.items[i]));
        }
        return;
    }
    add_tensor(call, name, as_tensor(value));
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
        table_in(call.facts, "strides").set(name, list_of_sizes(dense.strides()));
    }
    call.tensors.emplace_back(name, dense.clone(c10::MemoryFormat::Contiguous).cpu());
    bytes_ += call.tensors.back().second.nbytes();
}

}  // namespace ptp::engine

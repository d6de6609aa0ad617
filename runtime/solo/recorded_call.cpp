// Copies the values of a call, the component's own tensors, and the facts that it is created with;
// and keeps the calls of a recording, in memory and in its files.

#include "solo/recorded_call.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/components.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/sizes.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <fmt/core.h>

#include <cstring>
#include <system_error>

namespace ptp::engine {

namespace {

Value& member_of(Value& facts, const char* name, Value first) {
    return facts.find(name) != nullptr ? *facts.find(name) : facts.set(name, std::move(first));
}

void append_text(Value& facts, const char* list, const std::string& text) {
    member_of(facts, list, Value::list({})).items().emplace_back(text);
}

}  // namespace

void RecordedCall::add(const std::string& name, const at::Tensor& tensor) {
    if (!tensor.defined()) {
        append_text(facts, "absent", name);
        return;
    }
    const at::ScalarType type = tensor.scalar_type();
    if (c10::isComplexType(type) || c10::isQIntType(type)) {
        throw RunError(kTrainingError,
                       fmt::format("{}: '{}' is a tensor of {}, which a recording cannot hold",
                                   pipeline::node_text(node), name, c10::toString(type)));
    }
    if (tensor.requires_grad()) {
        append_text(facts, "with_gradient", name);
    }
    if (!tensor.is_sparse() && !tensor.is_contiguous() && tensor.is_non_overlapping_and_dense()) {
        member_of(facts, "strides", Value::table())
            .set(name, solo::recorded_list(tensor.strides()));
    }
    tensors.emplace_back(name, solo::recorded_copy(tensor));
}

void RecordedCall::add(const std::string& name, ptp_element element, const ptp_value* value) {
    if (element == PTP_STRING || element == PTP_TOKENS) {
        const auto& text = *reinterpret_cast<const ptp_text*>(value);
        if (text.offsets == nullptr) {
            append_text(facts, "absent", name);
            return;
        }
        const auto add_memory = [&](const char* part, const void* memory, std::uint64_t count,
                                    at::ScalarType type) {
            tensors.emplace_back(name + part, solo::recorded_memory(memory, count, type));
        };
        add_memory("/bytes", text.bytes, text.offsets[text.string_count], at::kByte);
        add_memory("/offsets", text.offsets, text.string_count + 1, at::kLong);
        if (text.rows != nullptr) {
            add_memory("/rows", text.rows, text.row_count + 1, at::kLong);
        }
    } else if (element == PTP_TENSOR_LIST) {
        const auto& list = *reinterpret_cast<const ptp_tensor_list*>(value);
        member_of(facts, "counts", Value::table()).set(name, list.count);
        for (std::uint64_t i = 0; i < list.count; ++i) {
            add(fmt::format("{}/{}", name, i), as_tensor(list.items[i]));
        }
    } else {
        add(name, as_tensor(value));
    }
}

void RecordedCall::add_values(const char* what, const pipeline::Plan& plan,
                              const std::vector<pipeline::Binding>& bindings,
                              std::span<const ptp_value* const> values,
                              std::span<const ptp_element> elements) {
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        if (bindings[i].stream >= 0 && values[i] != nullptr) {
            const auto& stream = plan.streams[static_cast<std::size_t>(bindings[i].stream)];
            add(fmt::format("{}/{}", what, stream.name), elements[i], values[i]);
        }
    }
}

}  // namespace ptp::engine

namespace ptp::solo {

namespace {

bool is_equal(const at::Tensor& left, const at::Tensor& right) {
    return left.scalar_type() == right.scalar_type() && left.sizes() == right.sizes() &&
           at::equal(left, right);
}

// Returns the shape that create() knows: -1 for unknown sizes, "B" for the number of samples.
Value shape_of(const pipeline::Plan& plan, const pipeline::Stream& stream) {
    std::vector<Value> sizes;
    for (const pipeline::Dimension& dimension : stream.shape) {
        if (dimension.symbol == pipeline::kBatchSymbol) {
            sizes.emplace_back("B");
        } else {
            sizes.emplace_back(pipeline::size_of(plan, dimension).value_or(-1));
        }
    }
    return Value::list(std::move(sizes));
}

Value streams_of(const pipeline::Plan& plan, const pipeline::Node& node,
                 const std::vector<pipeline::Binding>& bindings) {
    std::vector<Value> all;
    for (const pipeline::Binding& binding : bindings) {
        if (binding.stream < 0) {
            continue;
        }
        const auto& stream = plan.streams[static_cast<std::size_t>(binding.stream)];
        const plugin::Port& port = node.component->ports[static_cast<std::size_t>(binding.port)];
        Value& made =
            all.emplace_back(Value::table({{"port", port.name},
                                           {"stream", stream.name},
                                           {"element", static_cast<std::int64_t>(stream.element)},
                                           {"is_named", port.streams_setting.empty()}}));
        if (stream.has_shape) {
            made.set("shape", shape_of(plan, stream));
        }
    }
    return Value::list(std::move(all));
}

// Adds the names of globals, the constants read instead, and all values that it can read.
void add_globals(const ComponentContext& context, const pipeline::Node& node, Value& record) {
    Value names = Value::table();
    Value values = Value::table();
    Value constants = Value::table();
    for (const auto& [declared, name] : node.globals) {
        names.set(declared, name);
    }
    for (std::size_t i = 0; i < node.component->globals.size(); ++i) {
        if (node.component->globals[i].is_written() || !node.has_global[i]) {
            continue;
        }
        for (const std::string& declared : engine::declared_names(node, i)) {
            const auto named = node.globals.find(declared);
            const std::string& name = named == node.globals.end() ? declared : named->second;
            if (const ptp_data* value = context.globals.find(name)) {
                values.set(name, engine::to_value(*value));
            }
        }
    }
    for (const auto& [declared, value] : node.constants) {
        constants.set(declared, value);
    }
    record.set("global_names", std::move(names));
    record.set("constants", std::move(constants));
    record.set("globals", std::move(values));
}

}  // namespace

engine::CallRecorder::CallPointer RecordedCalls::add(const pipeline::Node& node, Value facts) {
    return calls_.emplace_back(
        std::make_shared<RecordedCall>(node, std::move(facts), calls_.size()));
}

void RecordedCalls::keep_begun(RecordedCall& call, const Value& facts) {
    if (!is_begin_kept_) {
        is_begin_kept_ = true;
        keep({facts, {}});
        keep_ended();
    }
    keep_part(call);
}

void RecordedCalls::keep_ended() {
    for (std::size_t i = ended_kept_; is_begin_kept_ && i < calls_.size(); ++i) {
        RecordedCall& call = *calls_[i];
        const bool has_all =
            call.is_complete && (!call.waits_for_gradients || i + 1 < calls_.size());
        if (has_all && !call.is_kept) {
            call.is_kept = true;
            keep_part(call);
        }
        if (call.is_kept && i == ended_kept_) {
            ++ended_kept_;
        }
    }
}

void RecordedCalls::keep_part(RecordedCall& call) {
    SavedState part{Value::table({{"index", call.index},
                                  {"begins_batch", call.begins_batch},
                                  {"is_complete", call.is_kept},
                                  {"facts", call.facts}}),
                    {}};
    for (; call.kept_tensors < call.tensors.size(); ++call.kept_tensors) {
        part.tensors.push_back(call.tensors[call.kept_tensors]);
    }
    if (call.is_kept && !call.has_several_passes) {
        part.tensors.insert(part.tensors.end(), call.gradients.begin(), call.gradients.end());
    }
    keep(part);
}

void RecordedCalls::keep(const SavedState& part) {
    try {
        if (can_keep_) {
            unfinished_.add(part);
        }
    } catch (const RunError& error) {
        log_->warn(fmt::format("if this process ends early, what it {} is lost: {}",
                               unfinished_.is_begun() ? "records from here on" : "has recorded",
                               error.what()));
        can_keep_ = false;
    }
}

SavedState RecordedCalls::take(Value record) {
    SavedState whole;
    std::vector<Value> facts;
    std::int64_t batches = 0;
    for (const auto& call : calls_) {
        call->waits_for_gradients = false;  // no further call begins
    }
    keep_ended();
    for (const auto& call : calls_) {
        if (!call->is_complete) {
            continue;
        }
        if (call->has_several_passes) {
            call->gradients.clear();
        }
        for (const auto* tensors : {&call->tensors, &call->gradients}) {
            for (const auto& [name, tensor] : *tensors) {
                whole.tensors.emplace_back(fmt::format("{}/{}", facts.size(), name), tensor);
            }
        }
        batches += call->begins_batch ? 1 : 0;
        facts.push_back(std::move(call->facts));
    }
    calls_.clear();
    whole.record = std::move(record);
    whole.record.set("batches", batches);
    whole.record.set("calls", Value::list(std::move(facts)));
    return whole;
}

void RecordedCalls::write(const SavedState& whole) {
    try {
        write_recording(file_, whole);
    } catch (const RunError& error) {
        if (!unfinished_.is_begun()) {
            throw;
        }
        throw WithFix<RunError>(
            error.code(),
            {explanation_of(error).reason,
             fmt::format("make room and record again; {} has the batches that were written before, "
                         "and ptp-inspect replay reads it",
                         unfinished_path(file_).string())});
    }
    std::error_code ignored;  // Its content is in the recording, too.
    std::filesystem::remove(unfinished_path(file_), ignored);
    log_->info(fmt::format("the recording is in {}", file_.string()));
}

void KnownTensors::add_given(Instance& instance, RecordedCall& call) {
    std::vector<std::string> trained;
    std::vector<NamedTensor> tensors = instance.tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        NamedTensor& named = tensors[i];
        if (named.tensor.requires_grad()) {
            trained.push_back(named.name);
        }
        named.tensor = named.tensor.detach();
        if (i >= seen_.size() || !is_equal(seen_[i].tensor, named.tensor)) {
            named.tensor = named.tensor.clone();
            call.add("given/" + named.name, named.tensor);
        } else {
            named.tensor = seen_[i].tensor;
        }
    }
    seen_ = std::move(tensors);
    if (trained != trained_) {
        call.facts.set("trained", recorded_list(trained));
        trained_ = std::move(trained);
    }
    std::vector<at::Tensor> states = generator_states(instance);
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (i >= generators_.size() || !is_equal(generators_[i], states[i])) {
            call.add(fmt::format("generator/{}", i), states[i]);
        }
    }
    generators_ = std::move(states);
}

void KnownTensors::add_changed(Instance& instance, RecordedCall& call) {
    std::vector<NamedTensor> tensors = instance.tensors();
    for (std::size_t i = 0; i < tensors.size() && i < seen_.size(); ++i) {
        const at::Tensor now = tensors[i].tensor.detach();
        if (!is_equal(seen_[i].tensor, now)) {
            seen_[i].tensor = now.clone();
            call.add("changed/" + seen_[i].name, now);
        }
    }
}

Value recorded_facts(const ComponentContext& context, const pipeline::Node& node) {
    Value settings = Value::table();
    for (std::size_t i = 0; i < node.settings.size(); ++i) {
        if (node.settings[i]) {
            settings.set(node.component->settings[i].name, *node.settings[i]);
        }
    }
    Value sizes = Value::table();
    for (const auto& [name, symbol] : node.symbols) {
        if (const auto size = context.plan.symbols[static_cast<std::size_t>(symbol)].size) {
            sizes.set(name, *size);
        }
    }
    Value record = Value::table({{"type", node.component->name},
                                 {"kind", static_cast<std::int64_t>(node.component->kind)},
                                 {"name", node.name},
                                 {"path", node.path},
                                 {"section", node.section},
                                 {"plugin", node.plugin->manifest.name},
                                 {"version", node.plugin->manifest.version},
                                 {"run", context.run_folder},
                                 {"device", context.device.str()},
                                 {"seed", static_cast<std::int64_t>(context.seed)},
                                 {"threads", at::get_num_threads()},
                                 {"settings", std::move(settings)},
                                 {"sizes", std::move(sizes)}});
    if (!context.device.is_cpu() && !at::globalContext().deterministicAlgorithms()) {
        record.set("deterministic", false);
    }
    add_globals(context, node, record);
    record.set("inputs", streams_of(context.plan, node, node.inputs));
    record.set("outputs", streams_of(context.plan, node, node.outputs));
    return record;
}

at::Tensor recorded_memory(const void* memory, std::uint64_t count, at::ScalarType type) {
    at::Tensor made = at::empty({static_cast<std::int64_t>(count)}, at::TensorOptions(type));
    if (count > 0) {
        std::memcpy(made.data_ptr(), memory, made.nbytes());
    }
    return made;
}

at::Tensor recorded_copy(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.detach();
    const at::Tensor dense = plain.is_sparse() ? plain.to_dense() : plain;
    return dense.clone(c10::MemoryFormat::Contiguous).cpu();
}

}  // namespace ptp::solo

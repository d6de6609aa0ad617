// Follows the calls of the component, and keeps each when its values are complete. The values
// themselves are added in recorder_values.cpp.

#include "solo/recorder.hpp"

#include "engine/component/compat.hpp"
#include "engine/component/picture.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <exception>
#include <string_view>
#include <utility>

namespace ptp::solo {

namespace {

constexpr std::uint64_t kMaxRecordedBytes = std::uint64_t{4} << 30U;

}  // namespace

bool Recorder::begin(const ComponentContext& context, const pipeline::Node& node) {
    const std::scoped_lock lock(mutex_);
    if (node.path != writer_.request().component || node_ != nullptr) {
        return false;
    }
    main_thread_ = std::this_thread::get_id();
    plan_ = &context.plan;
    node_ = &node;
    record_ = recorded_facts(context, node);
    record_.set("ptp", PTP_VERSION);
    writer_.set_log(context.log);
    return true;
}

void Recorder::created(Instance& instance) {
    const std::scoped_lock lock(mutex_);
    instance_ = &instance;
    if (node_->component->kind == plugin::Kind::kTask) {
        record_.set("samples", instance.size());
    }
}

void Recorder::start() {
    const std::scoped_lock lock(mutex_);
    is_started_ = true;
}

// Returns nullptr if the batch is not recorded; after the last one that is, also writes the
// recording.
Recorder::CallPointer Recorder::begin_batch(const char* name, const std::string& step,
                                            std::unique_lock<std::mutex>& lock) {
    if (is_over_ || !is_started_) {
        stop(lock);
        return nullptr;
    }
    const bool is_new = step.empty() || step != last_step_;
    if (is_new && batches_ == writer_.request().batches) {
        is_over_ = true;
        stop(lock);
        return nullptr;
    }
    batches_ += is_new ? 1 : 0;
    last_step_ = step;
    ++running_;
    CallPointer call = std::make_shared<RecordedCall>();
    call->facts.set("call", name);
    call->begins_batch = is_new;
    calls_.push_back(call);
    keep_ended();
    return call;
}

Recorder::CallPointer Recorder::begin_forward(const ptp_step& step, const CallValues& values) {
    std::unique_lock<std::mutex> lock(mutex_);
    CallPointer call = begin_batch("forward",
                                   fmt::format("{} {} {} {} {}", step.section, step.is_training,
                                               step.episode, step.epoch, step.batch_index),
                                   lock);
    if (call == nullptr) {
        return nullptr;
    }
    Value& facts = call->facts;
    facts.set("is_training", step.is_training != 0);
    facts.set("episode", step.episode);
    facts.set("epoch", step.epoch);
    facts.set("section", step.section);
    facts.set("set", step.set);
    facts.set("batch_index", step.batch_index);
    facts.set("batch_size", step.batch_size);
    facts.set("has_gradients", c10::GradMode::is_enabled());
    const at::Device device(record_.find("device")->as_string());
    if (const auto precision = engine::compat::autocast_type(device.type())) {
        facts.set("autocast", *precision == at::kHalf ? "fp16" : "bf16");
    }
    pictures_before_ = values.pictures == nullptr ? 0 : values.pictures->size();
    add_given(*call);
    add_values(*call, "input", node_->inputs, values.inputs, values.input_elements);
    latest_ = call;
    keep_begun(*call);
    if (c10::GradMode::is_enabled() && keeps_gradients()) {
        call->waits_for_gradients = true;
        watch_parameters();
        watch_inputs(call, values);
    }
    return call;
}

Recorder::CallPointer Recorder::begin_transform(const BatchSamples& samples,
                                                const CallValues& values) {
    std::unique_lock<std::mutex> lock(mutex_);
    CallPointer call = begin_batch("transform", "", lock);
    if (call == nullptr) {
        return nullptr;
    }
    call->facts.set("is_training", samples.is_training);
    call->facts.set("epoch", samples.epoch);
    call->facts.set("has_gradients", c10::GradMode::is_enabled());
    call->facts.set("seeds", recorded_list(samples.seeds));
    add_tensor(*call, "indices", samples.indices);
    if (!instance_->may_run_in_loaders()) {
        add_given(*call);
    }
    add_values(*call, "input", node_->inputs, values.inputs, values.input_elements);
    keep_begun(*call);
    return call;
}

Recorder::CallPointer Recorder::begin_fetch(const ptp_fetch& fetch) {
    std::unique_lock<std::mutex> lock(mutex_);
    CallPointer call = begin_batch("fetch", "", lock);
    if (call == nullptr) {
        return nullptr;
    }
    call->facts.set("is_training", fetch.is_training != 0);
    call->facts.set("epoch", fetch.epoch);
    call->facts.set("seeds", recorded_list(std::span(fetch.seeds, fetch.count)));
    add_tensor(*call, "indices", recorded_memory(fetch.indices, fetch.count, at::kLong));
    keep_begun(*call);
    return call;
}

void Recorder::end(const CallPointer& call, const CallValues& values) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::vector<const ptp_value*> outputs(values.outputs.begin(), values.outputs.end());
    add_values(*call, "output", node_->outputs, outputs, values.output_elements);
    for (std::size_t i = pictures_before_;
         values.pictures != nullptr && i < values.pictures->size(); ++i) {
        const engine::Picture& picture = (*values.pictures)[i];
        if (call->facts.find("pictures") == nullptr) {
            call->facts.set("pictures", Value::list({}));
        }
        call->facts.find("pictures")->items().emplace_back(picture.tag);
        add_tensor(*call, fmt::format("picture/{}", i - pictures_before_), picture.pixels);
    }
    const std::string& name = call->facts.find("call")->as_string();
    if (name == "forward") {
        add_changed(*call);
        if (c10::GradMode::is_enabled() && keeps_gradients()) {
            watch_outputs(call, values);
        }
    } else if (name == "transform" && !instance_->may_run_in_loaders()) {
        add_changed(*call);
    }
    call->is_complete = true;
    --running_;
    keep_ended();
    if (bytes_ > kMaxRecordedBytes) {
        is_cut_ = true;
        is_over_ = true;
    }
    stop(lock);
}

void Recorder::fail(const CallPointer& call) {
    const std::scoped_lock lock(mutex_);
    call->facts.set("failed", true);
    call->is_complete = true;
    call->waits_for_gradients = false;
    --running_;
    keep_ended();
}

void Recorder::add_event(Value facts, TensorsByName tensors) {
    const std::scoped_lock lock(mutex_);
    if (is_over_ || instance_ == nullptr) {
        return;
    }
    CallPointer call = std::make_shared<RecordedCall>();
    call->facts = std::move(facts);
    call->tensors = std::move(tensors);
    call->is_complete = true;
    calls_.push_back(std::move(call));
    keep_ended();
}

void Recorder::add_mode(bool is_training) {
    add_event(Value::table({{"call", "set_training"}, {"is_training", is_training}}));
}

void Recorder::add_import(const Instance::State& state) {
    add_event(Value::table(
        {{"call", "import_state"}, {"version", state.version}, {"state", state.value}}));
}

void Recorder::add_reset(std::uint64_t set) {
    add_event(Value::table({{"call", "reset"}, {"set", set}}));
}

// Adds only the numbers that the component defines in this call.
void Recorder::add_statistics(const char* call, std::uint64_t set, const double* values) {
    const bool is_batch = std::string_view(call) == "collect";
    std::vector<std::string> names;
    std::vector<double> numbers;
    const std::vector<plugin::Statistic>& declared = node_->component->statistics;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const bool is_defined = is_batch
                                    ? !declared[i].is_set_only
                                    : declared[i].aggregation == plugin::Aggregation::kComputed;
        if (node_->has_statistic[i] && is_defined) {
            names.push_back(declared[i].name);
            numbers.push_back(values[i]);
        }
    }
    add_event(Value::table({{"call", call}, {"set", set}, {"statistics", recorded_list(names)}}),
              {{"statistics", recorded_memory(numbers.data(), numbers.size(), at::kDouble)}});
}

void Recorder::finish() {
    std::unique_lock<std::mutex> lock(mutex_);
    is_over_ = true;
    is_in_flight_ = running_ > 0;
    running_ = 0;  // calls that other threads have begun are left out
    stop(lock);
}

// Writes once everything is complete; releases the lock.
void Recorder::stop(std::unique_lock<std::mutex>& lock) {
    if (!is_over_ || running_ > 0 || is_written_ || node_ == nullptr) {
        return;
    }
    is_written_ = true;
    for (const CallPointer& call : calls_) {
        call->waits_for_gradients = false;  // no further call begins
    }
    keep_ended();
    const SavedState state = assembled();
    calls_.clear();
    seen_.clear();
    latest_.reset();
    for (const auto& [tensor, hook] : watched_) {
        tensor.remove_hook(hook);
    }
    watched_.clear();
    lock.unlock();
    writer_.write(state);
}

void Recorder::finish_after_error() noexcept {
    try {
        finish();
    } catch (const std::exception& error) {  // only the first error is reported
        writer_.log_unfinished(error.what());
    }
}

std::string Recorder::summary() const {
    const engine::RecordingRequest& request = writer_.request();
    std::string text =
        fmt::format("recorded {} batch{} of {} in {}", batches_, batches_ == 1 ? "" : "es",
                    request.component, request.file.string());
    if (is_cut_) {
        text += fmt::format(": {} were asked for, but they have more than 4 GiB", request.batches);
    } else if (batches_ < request.batches) {
        text += fmt::format(": {} were asked for, the training had no more", request.batches);
    }
    if (lacks_state_) {
        text += "; without the state at the end, because loader threads make its batches";
    }
    return text;
}

// Appends the inputs of a call to the unfinished recording before the call is made, because the
// process may end in it.
void Recorder::keep_begun(RecordedCall& call) {
    if (!is_begin_kept_) {
        is_begin_kept_ = true;
        writer_.keep(
            {Value::table({{"asked", writer_.request().batches}, {"record", record_}}), {}});
        keep_ended();
    }
    for (std::size_t i = ended_kept_; i < calls_.size(); ++i) {
        if (calls_[i].get() == &call) {
            keep_part(i, call);
        }
    }
}

// Appends the calls whose values are complete to the unfinished recording. A call that waits for
// gradients has all of them when the next call begins.
void Recorder::keep_ended() {
    if (!is_begin_kept_) {
        return;
    }
    for (std::size_t i = ended_kept_; i < calls_.size(); ++i) {
        RecordedCall& call = *calls_[i];
        const bool has_all =
            call.is_complete && (!call.waits_for_gradients || i + 1 < calls_.size());
        if (has_all && !call.is_kept) {
            call.is_kept = true;
            keep_part(i, call);
        }
        if (call.is_kept && i == ended_kept_) {
            ++ended_kept_;
        }
    }
}

void Recorder::keep_part(std::size_t index, RecordedCall& call) {
    SavedState part{Value::table({{"index", index},
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
    writer_.keep(part);
}

SavedState Recorder::assembled() {
    SavedState whole;
    std::vector<Value> calls;
    for (const CallPointer& call : calls_) {
        if (!call->is_complete) {
            --batches_;
            continue;
        }
        const std::string prefix = fmt::format("{}/", calls.size());
        for (auto& [name, tensor] : call->tensors) {
            whole.tensors.emplace_back(prefix + name, tensor);
        }
        for (auto& [name, tensor] : call->gradients) {
            if (!call->has_several_passes) {
                whole.tensors.emplace_back(prefix + name, tensor);
            }
        }
        calls.push_back(std::move(call->facts));
    }
    whole.record = record_;
    whole.record.set("batches", batches_);
    if (instance_ != nullptr && instance_->has_state()) {
        lacks_state_ = is_in_flight_ || std::this_thread::get_id() != main_thread_;
    }
    if (instance_ != nullptr && instance_->has_state() && !lacks_state_) {
        const std::optional<Instance::State> state = instance_->export_state();
        whole.record.set("state_version", state->version);
        whole.record.set("state", state->value);
    }
    whole.record.set("calls", Value::list(std::move(calls)));
    return whole;
}

}  // namespace ptp::solo

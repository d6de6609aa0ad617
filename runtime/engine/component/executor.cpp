// Calls the components of a step in order, on a whole batch or on this process's part of it, checks
// what each of them writes, and moves what was loaded on the CPU to the run's device. Calls those
// that learn again for optimizers that evaluate a batch several times.

#include "engine/component/executor.hpp"

#include "base/error.hpp"
#include "engine/component/batch_cut.hpp"
#include "engine/component/compat.hpp"
#include "engine/component/copy_ahead.hpp"
#include "engine/component/loader_stage.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <system_error>

namespace ptp::engine {

namespace {

// Returns for each node whether it is a statistic without output streams, on which no component
// depends.
std::vector<bool> statistics_without_streams(const Components& components) {
    std::vector<bool> found;
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        const pipeline::Node& node = instance->node();
        found.push_back(node.component->kind == plugin::Kind::kStatistic &&
                        node.written_streams().empty());
    }
    return found;
}

// Returns the index in the batch that a message begins with: 3 for "lengths[3] = 0: must be in [1,
// 7]".
std::optional<std::int64_t> index_in_batch(std::string_view message) {
    const std::size_t bracket = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
    if (bracket == 0 || bracket == message.npos || message[bracket] != '[') {
        return std::nullopt;
    }
    std::int64_t index = 0;
    const char* const begin = message.data() + bracket + 1;
    const auto read = std::from_chars(begin, message.data() + message.size(), index);
    return read.ec == std::errc() && read.ptr != begin ? std::optional(index) : std::nullopt;
}

// Replaces the index in the batch, which is all a component knows about wrong data, by the sample.
[[noreturn]] void throw_with_sample(const RunError& error, const at::Tensor& samples) {
    const std::string_view text = error.what();
    const std::size_t message = text.find("): ");  // after "'enc' (TransformerEncoder)"
    const auto index = error.code() == kDataError && message != text.npos
                           ? index_in_batch(text.substr(message + 3))
                           : std::nullopt;
    if (!index || !samples.defined() || *index < 0 || *index >= samples.numel()) {
        throw;
    }
    throw RunError(kDataError,
                   fmt::format("{}\n    sample: {}", text, samples[*index].item<std::int64_t>()));
}

// Forgets what was tried on a batch at the end of its step, which may be an error.
class TriedOfStep {
public:
    explicit TriedOfStep(Frame& frame) : frame_(frame) {}
    ~TriedOfStep() { frame_.samples().tried.clear(); }
    TriedOfStep(const TriedOfStep&) = delete;
    TriedOfStep& operator=(const TriedOfStep&) = delete;

private:
    Frame& frame_;
};

}  // namespace

Executor::Executor(const pipeline::Plan& plan, const Components& components, Frame& frame,
                   at::Device device)
    : plan_(plan), frame_(frame), device_(device), check_(plan), whole_check_(plan) {
    rebind(components);
}

void Executor::rebind(const Components& components) {
    check_.forget();
    whole_check_.forget();
    tasks_.clear();
    for (const std::shared_ptr<Instance>& task : components.tasks) {
        tasks_.push_back(task.get());
    }
    invocations_.clear();
    const std::vector<bool> observing =
        is_sharing_ ? observing_nodes(components) : statistics_without_streams(components);
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        Invocation& invocation = invocations_.emplace_back();
        invocation.instance = instance.get();
        if (instance->is_per_sample()) {
            invocation.call = call_of(*instance, components.nodes);
        }
        FrameValues values(instance->node(), frame_);
        invocation.inputs = std::move(values.inputs);
        invocation.outputs = std::move(values.outputs);
        const plugin::Kind kind = instance->node().component->kind;
        invocation.needs_gradients = takes_part_in_learning(kind);
        invocation.only_observes = observing[invocations_.size() - 1];
        invocation.part = invocation.only_observes ? Part::kObserver : Part::kAfterCut;
        invocation.may_be_cast = invocation.needs_gradients && kind != plugin::Kind::kLoss &&
                                 !instance->is_per_sample();  // the same bits as in a loader thread
    }
    stages_.clear();
    loaded_.clear();
    for (const Instance* task : tasks_) {
        loaded_.push_back(loader_stage(components, *task));
        stages_.push_back(transform_stage(components, *task));
    }
    enter_section(section_);
}

// Prepares one byte per component, so that a step does not look at a table for each.
void Executor::enter_section(std::size_t section) {
    section_ = section;
    if (section >= tasks_.size()) {
        return;
    }
    const auto is_in = [](const std::vector<Instance*>& stage, const Instance* instance) {
        return std::ranges::find(stage, instance) != stage.end();
    };
    for (Invocation& invocation : invocations_) {
        const Instance* instance = invocation.instance;
        const pipeline::Node& node = instance->node();
        const bool runs = node.writes_on(section) && !is_in(loaded_[section], instance) &&
                          !is_called_by_another(node);
        invocation.passes = node.passes_on(section);
        invocation.part = !runs                               ? Part::kNever
                          : invocation.only_observes          ? Part::kObserver
                          : is_in(stages_[section], instance) ? Part::kBeforeCut
                                                              : Part::kAfterCut;
    }
}

void Executor::train_in(std::string_view precision) {
    training_type_ = precision == "bf16"   ? at::kBFloat16
                     : precision == "fp16" ? at::kHalf
                                           : at::kFloat;
}

void Executor::share_batches(const Components& components) {
    is_sharing_ = true;
    rebind(components);
}

void Executor::run(const Instance& task, const ptp_step& step, bool is_thorough) {
    if (const std::size_t section = index_of(task); section != section_) {
        enter_section(section);
    }
    was_cut_ = !frame_.samples().share.is_cut;
    const TriedOfStep tried(frame_);
    try {
        if (was_cut_) {
            run_whole(task, step, is_thorough);
        } else {
            check_.begin(step.batch_size, is_thorough);
            take_loaded(task, check_);
            run_invocations(step, {Part::kBeforeCut, Part::kAfterCut}, check_);
        }
        add_tried();
    } catch (const RunError& error) {
        throw_with_sample(error, frame_.samples().indices);
    }
}

// Runs the transforms first, on the whole batch, even if none of its samples are this process's:
// those that draw random numbers then draw the same ones in each process.
void Executor::run_whole(const Instance& task, const ptp_step& step, bool is_thorough) {
    ptp_step whole = step;
    whole.batch_size = frame_.samples().share.whole;
    whole_check_.begin(whole.batch_size, is_thorough);
    take_loaded(task, whole_check_);
    run_invocations(whole, {Part::kBeforeCut}, whole_check_);
    cut_batch(plan_, task, stages_[section_], frame_);
    if (step.batch_size > 0) {
        check_.begin(step.batch_size, is_thorough);
        run_invocations(step, {Part::kAfterCut}, check_);
    }
}

void Executor::observe_whole(const ptp_step& step) {
    whole_check_.begin(step.batch_size, false);
    observe(step);
}

void Executor::run_invocations(const ptp_step& step, std::initializer_list<Part> parts,
                               OutputCheck& check) {
    const compat::ThreadGradMode grad_mode;
    const bool has_gradients = grad_mode.is_enabled();
    const c10::AutoGradMode mode(has_gradients);  // restored afterwards, whatever a component sets
    for (std::size_t i = 0; i < invocations_.size(); ++i) {
        Invocation& invocation = invocations_[i];
        if (std::ranges::find(parts, invocation.part) == parts.end()) {
            continue;
        }
        const bool needs_gradients = has_gradients && invocation.needs_gradients;
        if (grad_mode.is_enabled() != needs_gradients) {
            c10::GradMode::set_enabled(needs_gradients);
        }
        if (observer_ != nullptr) {
            observer_->enter(*invocation.instance);
        }
        {
            const Profiler::Timer timer(profiler_, Profiler::forward_of(i));
            forward(invocation, step, pictures_);
        }
        if (observer_ != nullptr) {
            observer_->leave(*invocation.instance, frame_);
        }
        check.check(*invocation.instance, frame_, device_);
        if (profiler_ != nullptr && has_gradients) {
            profiler_->watch_backward(i, frame_);
        }
    }
}

std::set<int> Executor::run_fed(const ptp_step& step, std::set<int> written) {
    check_.begin(step.batch_size, true);
    const TriedOfStep tried(frame_);
    for (Invocation& invocation : invocations_) {
        const pipeline::Node& node = invocation.instance->node();
        const bool has_inputs = std::ranges::all_of(
            node.read_streams(), [&](int stream) { return written.contains(stream); });
        if (!has_inputs || invocation.only_observes || !node.writes_on(0) ||
            is_called_by_another(node)) {
            continue;
        }
        invocation.passes = node.passes_on(0);
        forward(invocation, step, pictures_);
        check_.check(*invocation.instance, frame_, device_);
        std::ranges::copy(node.written_streams(), std::inserter(written, written.end()));
    }
    add_tried();
    return written;
}

// A log has the counts of the batches that steps have taken, not of those that were loaded ahead.
void Executor::add_tried() {
    if (tried_log_ != nullptr) {
        tried_log_->add(frame_.samples().tried);
    }
}

std::size_t Executor::index_of(const Instance& task) const {
    return static_cast<std::size_t>(std::ranges::find(tasks_, &task) - tasks_.begin());
}

void Executor::run_again(const ptp_step& step) {
    for (Invocation& invocation : invocations_) {
        if (invocation.needs_gradients && sees_part(invocation)) {
            forward(invocation, step, nullptr);
        }
    }
}

void Executor::run_learning(const Instance& task, const ptp_step& step) {
    if (const std::size_t section = index_of(task); section != section_) {
        enter_section(section);
    }
    was_cut_ = false;
    try {
        check_.begin(step.batch_size, true);
        take_loaded(task, check_);
        run_again(step);
    } catch (const RunError& error) {
        throw_with_sample(error, frame_.samples().indices);
    }
}

// Streams are float32, regardless of the type that a component computes in.
void Executor::forward(Invocation& invocation, const ptp_step& step,
                       std::vector<Picture>* pictures) {
    if (invocation.passes) {
        invocation.instance->pass_through(invocation.inputs.data(), invocation.outputs.data());
        return;
    }
    if (training_type_ == at::kFloat || step.is_training == 0 || !invocation.may_be_cast) {
        compute(invocation, step, pictures);
        return;
    }
    {
        const compat::Autocast autocast(device_.type(), training_type_);
        compute(invocation, step, pictures);
    }
    change_outputs(*invocation.instance, [this](const Slot& slot, at::Tensor& tensor, std::size_t) {
        if (is_tensor(slot.element) && tensor.scalar_type() == training_type_) {
            tensor = tensor.to(at::kFloat);
        }
    });
}

void Executor::compute(Invocation& invocation, const ptp_step& step,
                       std::vector<Picture>* pictures) {
    if (rank_state_ != nullptr) {
        rank_state_->enter_component(invocation.instance->node().name);
    }
    if (invocation.call) {
        invocation.call->run(frame_.samples(), invocation.inputs.data(), invocation.outputs.data());
        if (!device_.is_cpu()) {  // It has written on the CPU, as it does in a loader thread.
            change_outputs(*invocation.instance,
                           [this](const Slot&, at::Tensor& tensor, std::size_t) {
                               tensor = tensor.to(device_);
                           });
        }
    } else {
        invocation.instance->forward(step, invocation.inputs.data(), invocation.outputs.data(),
                                     {pictures, sees_part(invocation) ? whole_batch_ : nullptr});
    }
    if (rank_state_ != nullptr) {
        rank_state_->leave_component();
    }
}

// Calls `change` with each tensor that the instance has written, with its slot and its index there.
template <class Change>
void Executor::change_outputs(const Instance& instance, Change change) {
    for (const pipeline::Binding& output : instance.node().outputs) {
        if (output.stream < 0) {
            continue;
        }
        Slot& slot = frame_[output.stream];
        if (is_tensor(slot.element) && slot.tensor.defined()) {
            change(slot, slot.tensor, 0);
        }
        for (std::size_t i = 0; i < slot.list.tensors().size(); ++i) {
            if (slot.list.tensors()[i].defined()) {
                change(slot, slot.list.tensors()[i], i);
            }
        }
    }
}

void Executor::take_loaded(const Instance& task, OutputCheck& check) {
    take_loaded_output(task, check);
    for (const Instance* loaded : loaded_[section_]) {
        if (!is_called_by_another(loaded->node())) {
            take_loaded_output(*loaded, check);
        }
    }
}

// Takes the outputs that the task, or a transform after it, has written on the CPU.
void Executor::take_loaded_output(const Instance& loaded, OutputCheck& check) {
    check.check(loaded, frame_, at::kCPU);
    if (device_.is_cpu()) {
        return;
    }
    const SentBatch* const sent = frame_.samples().sent.get();
    change_outputs(loaded, [&](const Slot& slot, at::Tensor& tensor, std::size_t i) {
        if (!slot.is_dropped) {
            tensor = sent != nullptr && i < slot.ahead.size() ? sent->arrived(slot.ahead[i])
                                                              : tensor.to(device_);
        }
    });
    for (const int stream : loaded.node().written_streams()) {
        frame_[stream].ahead.clear();
    }
}

}  // namespace ptp::engine

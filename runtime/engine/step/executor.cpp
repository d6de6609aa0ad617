#include "engine/step/executor.hpp"

#include <c10/core/GradMode.h>

namespace ptp::engine {

namespace {

bool takes_part_in_learning(plugin::Kind kind) {
    return kind != plugin::Kind::statistic && kind != plugin::Kind::viewer &&
           kind != plugin::Kind::publisher;
}

}  // namespace

Executor::Executor(const pipeline::Plan& plan,
                   const std::vector<std::unique_ptr<Instance>>& instances, Frame& frame,
                   at::Device device)
    : frame_(frame), device_(device), check_(plan) {
    const auto value = [&frame](const pipeline::Binding& binding) -> ptp_value* {
        return binding.stream < 0 ? nullptr : frame[binding.stream].value();
    };
    for (const std::unique_ptr<Instance>& instance : instances) {
        Hop& hop = hops_.emplace_back();
        hop.instance = instance.get();
        for (const pipeline::Binding& input : instance->node().inputs) {
            hop.inputs.push_back(value(input));
        }
        for (const pipeline::Binding& output : instance->node().outputs) {
            hop.outputs.push_back(value(output));
        }
        hop.needs_gradients = takes_part_in_learning(instance->node().component->kind);
    }
}

void Executor::run(const Instance& task, const ptp_step& step, bool is_thorough) {
    check_.begin(step.batch_size, is_thorough);
    check_.check(task, frame_, at::kCPU);
    if (!device_.is_cpu()) {
        move_batch(task.node());
    }
    const bool has_gradients = c10::GradMode::is_enabled();
    for (Hop& hop : hops_) {
        const c10::AutoGradMode mode(has_gradients && hop.needs_gradients);
        hop.instance->forward(step, hop.inputs.data(), hop.outputs.data());
        check_.check(*hop.instance, frame_, device_);
    }
}

void Executor::move_batch(const pipeline::Node& task) {
    for (const pipeline::Binding& output : task.outputs) {
        if (output.stream < 0) {
            continue;
        }
        Slot& slot = frame_[output.stream];
        if (is_tensor(slot.element)) {
            slot.tensor = slot.tensor.to(device_);
        }
        for (at::Tensor& tensor : slot.list.tensors()) {
            tensor = tensor.to(device_);
        }
    }
}

}  // namespace ptp::engine

#include "engine/conformance/lone_trial.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "engine/component/components.hpp"

#include <ptp/ext/task.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace ptp::engine {

namespace {

std::shared_ptr<spdlog::logger> silent_log() {
    return std::make_shared<spdlog::logger>("check",
                                            std::make_shared<spdlog::sinks::null_sink_mt>());
}

}  // namespace

LoneTrial::LoneTrial(const LonePipeline& pipeline, const ptp_component_info& info, Options options)
    : options_(std::move(options)),
      guess_(pipeline.guess),
      plan_(pipeline.plan),
      component_context_{plan_,    globals_,     silent_log(), options_.folder.string(),
                         at::kCPU, options_.seed},
      frame_(plan_),
      output_check_(plan_) {
    std::filesystem::create_directories(options_.folder);
    for (const Member& global : pipeline.globals) {
        globals_.publish(global.key, global.value, "the check");
    }
    at::manual_seed(component_context_.seed);
    if (plan_.nodes.empty()) {
        instance_ = std::make_shared<Instance>(component_context_, plan_.tasks.front(), info);
        sample_count_ = instance_->size();
        if (sample_count_ == 0) {
            throw RunError(kDataError, "it has no samples");
        }
    } else {
        instance_ = create_node(component_context_, plan_.nodes.front(), info);
    }
    instance_->set_training(true);
}

void LoneTrial::begin_set() {
    if (instance_->has_statistics()) {
        instance_->reset_statistics(0);
    }
}

void LoneTrial::choose_samples(const LoneStep& step, Frame& frame) const {
    BatchSamples& samples = frame.samples();
    const auto first = static_cast<std::int64_t>(step.number) * step.batch_size;
    samples.indices =
        at::arange(first, first + step.batch_size, at::kLong).remainder(sample_count_);
    samples.is_training = step.is_training;
    samples.seeds.clear();
    for (std::int64_t i = 0; i < step.batch_size; ++i) {
        samples.seeds.push_back(derived(derived(options_.seed, step.number), std::to_string(i)));
    }
}

void LoneTrial::fetch(Frame& frame) {
    std::vector<ptp_value*> outputs;
    for (const pipeline::Binding& output : instance_->node().outputs) {
        outputs.push_back(output.stream < 0 ? nullptr : frame[output.stream].value());
    }
    const BatchSamples& samples = frame.samples();
    ptp_fetch fetch{};
    fetch.struct_size = sizeof(ptp_fetch);
    fetch.is_training = samples.is_training ? 1 : 0;
    fetch.indices = samples.indices.data_ptr<std::int64_t>();
    fetch.seeds = samples.seeds.data();
    fetch.count = samples.seeds.size();
    instance_->fetch(fetch, outputs.data());
}

void LoneTrial::forward(const LoneStep& step, Frame& frame) {
    const pipeline::Node& node = instance_->node();
    const auto value = [&](const pipeline::Binding& binding) {
        return binding.stream < 0 ? nullptr : frame[binding.stream].value();
    };
    std::vector<const ptp_value*> inputs;
    std::vector<ptp_value*> outputs;
    std::ranges::transform(node.inputs, std::back_inserter(inputs), value);
    std::ranges::transform(node.outputs, std::back_inserter(outputs), value);
    if (instance_->is_per_sample()) {
        instance_->transform(frame.samples(), inputs.data(), outputs.data());
        return;
    }
    ptp_step made{};
    made.struct_size = sizeof(ptp_step);
    made.is_training = step.is_training ? 1 : 0;
    made.episode = step.number;
    made.section = "training";
    made.batch_index = step.number;
    made.batch_size = static_cast<std::uint64_t>(step.batch_size);
    instance_->forward(made, inputs.data(), outputs.data());
}

void LoneTrial::prepare(const LoneStep& step, Frame& frame) {
    frame.clear();
    const std::uint64_t seed = derived(options_.seed, step.number);
    at::manual_seed(derived(seed, "inputs"));
    make_up_inputs(plan_, instance_->node(), {guess_, options_.reals, step.batch_size}, frame);
    change_memory(instance_->node(), options_.memory, frame);
    choose_samples(step, frame);
    at::manual_seed(derived(seed, "step"));
}

void LoneTrial::call(const LoneStep& step, Frame& frame) {
    if (instance_->node().section.empty()) {
        forward(step, frame);
    } else {
        fetch(frame);
    }
}

void LoneTrial::check_outputs(const LoneStep& step) {
    output_check_.begin(static_cast<std::uint64_t>(step.batch_size), true);
    output_check_.check(*instance_, frame_, at::kCPU);
}

std::vector<Outcome> LoneTrial::run(const LoneStep& step) {
    const c10::AutoGradMode gradients(step.is_training && c10::GradMode::is_enabled());
    instance_->set_training(step.is_training);
    prepare(step);
    call(step);
    check_outputs(step);
    std::vector<Outcome> outcomes = outputs();
    add_statistics(false, outcomes);
    return outcomes;
}

std::vector<Outcome> LoneTrial::end() {
    std::vector<Outcome> outcomes;
    add_statistics(true, outcomes);
    for (const NamedTensor& named : instance_->tensors()) {
        outcomes.push_back({fmt::format("tensor '{}'", named.name), bits_of(named.tensor)});
    }
    instance_.reset();  // which may write the end of a file
    add_files(options_.folder, outcomes);
    return outcomes;
}

std::vector<Outcome> LoneTrial::outputs(const Frame& frame) const {
    std::vector<Outcome> outcomes;
    for (const pipeline::Binding& output : instance_->node().outputs) {
        if (output.stream >= 0) {
            const Slot& slot = frame[output.stream];
            const bool is_real = slot.tensor.defined() && slot.tensor.is_floating_point();
            outcomes.push_back({fmt::format("output '{}'", output.name), bits_of(slot),
                                is_real ? slot.tensor.detach() : at::Tensor()});
        }
    }
    return outcomes;
}

void LoneTrial::add_statistics(bool is_over_set, std::vector<Outcome>& outcomes) {
    if (!instance_->has_statistics()) {
        return;
    }
    const std::vector<plugin::Statistic>& declared = instance_->node().component->statistics;
    std::vector<double> values(declared.size());
    if (is_over_set) {
        instance_->aggregate_statistics(0, values.data());
    } else {
        instance_->collect_statistics(0, values.data());
    }
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (instance_->node().has_statistic[i] &&
            (!is_over_set || declared[i].aggregation == plugin::Aggregation::kComputed)) {
            outcomes.push_back({fmt::format("statistic '{}'{}", declared[i].name,
                                            is_over_set ? " over the set" : ""),
                                fmt::format("{:a}", values[i]),
                                at::scalar_tensor(values[i], at::kDouble)});
        }
    }
}

LoneTrial::Saved LoneTrial::save() {
    Saved saved{instance_->tensors(), instance_->export_state(), {}};
    for (NamedTensor& named : saved.tensors) {
        named.tensor = named.tensor.detach().clone();
    }
    for (at::Generator& generator : instance_->generators()) {
        const std::scoped_lock lock(generator.mutex());
        saved.generators.push_back(generator.get_state());
    }
    return saved;
}

void LoneTrial::restore(const Saved& saved) {
    const c10::AutoGradMode without_gradients(false);
    std::vector<NamedTensor> own = instance_->tensors();
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i].tensor.copy_(saved.tensors.at(i).tensor);
    }
    if (saved.state) {
        instance_->import_state(*saved.state);
    }
    std::vector<at::Generator> generators = instance_->generators();
    for (std::size_t i = 0; i < generators.size(); ++i) {
        const std::scoped_lock lock(generators[i].mutex());
        generators[i].set_state(saved.generators.at(i));
    }
}

}  // namespace ptp::engine

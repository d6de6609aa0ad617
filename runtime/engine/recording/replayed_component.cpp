#include "engine/recording/replayed_component.hpp"

#include "base/error.hpp"
#include "engine/component/compat.hpp"
#include "engine/component/picture.hpp"
#include "engine/train/process_setup.hpp"
#include "run/keys.hpp"

#include <ptp/ext/task.h>

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace ptp::engine {

namespace {

using ReplayClock = std::chrono::steady_clock;

std::shared_ptr<spdlog::logger> replay_log() {
    return std::make_shared<spdlog::logger>("replay",
                                            std::make_shared<spdlog::sinks::null_sink_mt>());
}

// Returns "episode 5 (training, epoch 1, batch 5)"; loaders have no episodes.
std::string call_text(const RecordedValues& values, std::uint64_t batch) {
    const std::int64_t epoch = values.integer("epoch") + 1;
    const Value* const section = values.facts().find("section");
    if (section == nullptr || !section->is_string()) {
        return fmt::format("batch {} of the recording (epoch {})", batch, epoch);
    }
    return fmt::format("episode {} ({}, epoch {}, batch {})", values.integer("episode"),
                       section->as_string(), epoch, values.integer("batch_index"));
}

}  // namespace

ReplayedComponent::ReplayedComponent(const Parts& parts)
    : recording_(parts.recording),
      plan_(parts.pipeline.plan),
      component_context_{
          plan_,
          globals_,
          replay_log(),
          parts.folder.string(),
          usable_device(parts.recording.record.find("device")->as_string(),
                        parts.recording.record.find("deterministic") == nullptr),
          static_cast<std::uint64_t>(parts.recording.record.find("seed")->as_integer())},
      frame_(plan_),
      output_check_(plan_) {
    std::filesystem::create_directories(parts.folder);
    for (const Member& global : recording_.record.find("globals")->members()) {
        globals_.publish(global.key, global.value, "the recording");
    }
    instance_ =
        plan_.nodes.empty()
            ? std::make_shared<Instance>(component_context_, plan_.tasks.front(), parts.info)
            : create_node(component_context_, plan_.nodes.front(), parts.info);
}

void ReplayedComponent::play(ReplayReport& report) {
    report.begin_call("create()");
    if (const Value* const samples = recording_.record.find("samples")) {
        report.compare("the number of samples", *samples, Value(instance_->size()));
    }
    report.begin_call("before the first batch");
    for (std::size_t i = 0; i < recording_.calls().size(); ++i) {
        const RecordedValues values(recording_, i);
        try {
            play(values, report);
        } catch (const RecordingError&) {
            throw;
        } catch (const RunError& error) {
            throw RunError(kPluginError, fmt::format("{}: {}", report.where(), error.what()));
        }
    }
    compare_state(report);
}

void ReplayedComponent::play(const RecordedValues& values, ReplayReport& report) {
    const std::string& call = run::value_in(values.facts(), "call", ValueType::kString).as_string();
    if (call == "forward" || call == "transform" || call == "fetch") {
        report.begin_call(call_text(values, batch_++));
    }
    if (call == "forward") {
        forward(values, report);
    } else if (call == "transform") {
        transform(values, report);
    } else if (call == "fetch") {
        fetch(values, report);
    } else if (call == "set_training") {
        instance_->set_training(values.is_set("is_training"));
    } else if (call == "import_state") {
        const Value* const state = values.facts().find("state");
        if (state == nullptr) {
            throw RecordingError("has an import_state() without a state");
        }
        instance_->import_state({static_cast<std::uint32_t>(values.integer("version")), *state});
    } else if (call == "reset" || call == "collect" || call == "aggregate") {
        measure(call, values, report);
    } else {
        throw RecordingError(fmt::format("has an unknown call '{}'", call));
    }
}

void ReplayedComponent::forward(const RecordedValues& values, ReplayReport& report) {
    frame_.clear();
    restore(values);
    fill_inputs(values);
    const std::string section =
        run::value_in(values.facts(), "section", ValueType::kString).as_string();
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.is_training = values.is_set("is_training") ? 1 : 0;
    step.episode = static_cast<std::uint64_t>(values.integer("episode"));
    step.epoch = static_cast<std::uint64_t>(values.integer("epoch"));
    step.section = section.c_str();
    step.set = static_cast<std::uint64_t>(values.integer("set"));
    step.batch_index = static_cast<std::uint64_t>(values.integer("batch_index"));
    step.batch_size = static_cast<std::uint64_t>(values.integer("batch_size"));
    std::vector<ptp_value*> given = values_of(instance_->node().inputs);
    const std::vector<const ptp_value*> inputs(given.begin(), given.end());
    const std::vector<ptp_value*> outputs = values_of(instance_->node().outputs);
    std::vector<Picture> pictures;
    const Value* const autocast = values.facts().find("autocast");
    const c10::AutoGradMode mode(values.is_set("has_gradients"));
    {
        std::optional<compat::Autocast> cast;
        if (autocast != nullptr) {
            cast.emplace(component_context_.device.type(),
                         *autocast == Value("fp16") ? at::kHalf : at::kBFloat16);
        }
        const auto begin = ReplayClock::now();
        instance_->forward(step, inputs.data(), outputs.data(), &pictures);
        finish_on_device();
        report.add_time("forward", ReplayClock::now() - begin);
    }
    if (values.is_set("failed")) {
        return;  // the recording has none
    }
    if (autocast == nullptr) {
        output_check_.begin(step.batch_size, true);
        output_check_.check(*instance_, frame_, component_context_.device);
    }
    compare_outputs(values, report);
    compare_pictures(values, pictures, report);
    compare_tensors(values, report);
    backward(values, report);
}

void ReplayedComponent::transform(const RecordedValues& values, ReplayReport& report) {
    frame_.clear();
    if (!instance_->may_run_in_loaders()) {
        restore(values);
    }
    fill_samples(values);
    fill_inputs(values);
    std::vector<ptp_value*> given = values_of(instance_->node().inputs);
    const std::vector<const ptp_value*> inputs(given.begin(), given.end());
    const std::vector<ptp_value*> outputs = values_of(instance_->node().outputs);
    const c10::AutoGradMode mode(values.is_set("has_gradients"));
    const auto begin = ReplayClock::now();
    instance_->transform(frame_.samples(), inputs.data(), outputs.data());
    finish_on_device();
    report.add_time("transform", ReplayClock::now() - begin);
    if (!values.is_set("failed")) {
        compare_outputs(values, report);
        if (!instance_->may_run_in_loaders()) {
            compare_tensors(values, report);
        }
    }
}

void ReplayedComponent::fetch(const RecordedValues& values, ReplayReport& report) {
    frame_.clear();
    fill_samples(values);
    const BatchSamples& samples = frame_.samples();
    const std::int64_t size = instance_->size();
    const auto* const indices = samples.indices.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < samples.seeds.size(); ++i) {
        if (indices[i] < 0 || indices[i] >= size) {
            refuse_build(fmt::format("sample {} was read, and it has {}", indices[i], size));
        }
    }
    ptp_fetch fetch{};
    fetch.struct_size = sizeof(ptp_fetch);
    fetch.is_training = samples.is_training ? 1 : 0;
    fetch.indices = indices;
    fetch.seeds = samples.seeds.data();
    fetch.count = samples.seeds.size();
    fetch.epoch = samples.epoch;
    const std::vector<ptp_value*> outputs = values_of(instance_->node().outputs);
    const auto begin = ReplayClock::now();
    instance_->fetch(fetch, outputs.data());
    report.add_time("fetch", ReplayClock::now() - begin);
    if (!values.is_set("failed")) {
        compare_outputs(values, report);
    }
}

void ReplayedComponent::measure(const std::string& call, const RecordedValues& values,
                                ReplayReport& report) {
    if (!instance_->has_statistics()) {
        refuse_build("it has no statistics");
    }
    const auto set = static_cast<std::uint64_t>(values.integer("set"));
    if (call == "reset") {
        instance_->reset_statistics(set);
        return;
    }
    const std::vector<plugin::Statistic>& declared = instance_->node().component->statistics;
    std::vector<double> numbers(declared.size());
    if (call == "collect") {
        instance_->collect_statistics(set, numbers.data());
    } else {
        instance_->aggregate_statistics(set, numbers.data());
    }
    const std::vector<std::string> names = values.texts("statistics");
    const at::Tensor* const recorded = values.tensor("statistics");
    const std::int64_t count = recorded == nullptr ? 0 : recorded->numel();
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, std::ssize(names)); ++i) {
        const std::string& name = names[static_cast<std::size_t>(i)];
        const std::string what =
            fmt::format("the statistic '{}'{}", name, call == "collect" ? "" : " over the set");
        const auto place = std::ranges::find(declared, name, &plugin::Statistic::name);
        at::Tensor now;
        if (place != declared.end()) {
            now = at::empty({}, at::TensorOptions(at::kDouble));
            now.fill_(numbers[static_cast<std::size_t>(place - declared.begin())]);
        }
        report.compare(what, (*recorded)[i], now);
    }
}

void ReplayedComponent::compare_state(ReplayReport& report) {
    const Value* const state = recording_.record.find("state");
    if (state == nullptr) {
        return;
    }
    report.begin_call("the end");
    const std::optional<Instance::State> now = instance_->export_state();
    if (!now) {
        report.differ("its state", {.recorded = "some", .now = "none"});
        return;
    }
    report.compare("its state", *state, now->value);
}

void ReplayedComponent::finish_on_device() const {
    if (!component_context_.device.is_cpu()) {
        static_cast<void>(
            at::empty({1}, at::TensorOptions(component_context_.device)).zero_().cpu());
    }
}

std::vector<ptp_value*> ReplayedComponent::values_of(
    const std::vector<pipeline::Binding>& bindings) {
    std::vector<ptp_value*> values;
    for (const pipeline::Binding& binding : bindings) {
        values.push_back(binding.stream < 0 ? nullptr : frame_[binding.stream].value());
    }
    return values;
}

const std::string& ReplayedComponent::stream_of(const pipeline::Binding& binding) const {
    return plan_.streams[static_cast<std::size_t>(binding.stream)].name;
}

}  // namespace ptp::engine

// Repeats the calls of a recording. What is compared after each is in replayed_comparisons.cpp.

#include "solo/replayed_component.hpp"

#include "base/error.hpp"
#include "engine/component/compat.hpp"
#include "engine/train/process_setup.hpp"
#include "run/keys.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace ptp::solo {

namespace {

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
      component_(
          parts.plan, parts.info,
          {.folder = parts.folder,
           .device = engine::usable_device(parts.recording.record.find("device")->as_string(),
                                           parts.recording.record.find("deterministic") == nullptr),
           .seed = static_cast<std::uint64_t>(parts.recording.record.find("seed")->as_integer()),
           .publisher = "the recording"}) {}

void ReplayedComponent::play(ReplayReport& report) {
    report.begin_call("create()");
    if (const Value* const samples = recording_.record.find("samples")) {
        report.compare("the number of samples", *samples, Value(component_.instance().size()));
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
        component_.instance().set_training(values.is_set("is_training"));
    } else if (call == "import_state") {
        const Value* const state = values.facts().find("state");
        if (state == nullptr) {
            throw RecordingError("has an import_state() without a state");
        }
        component_.instance().import_state(
            {static_cast<std::uint32_t>(values.integer("version")), *state});
    } else if (call == "reset" || call == "collect" || call == "aggregate") {
        measure(call, values, report);
    } else {
        throw RecordingError(fmt::format("has an unknown call '{}'", call));
    }
}

void ReplayedComponent::forward(const RecordedValues& values, ReplayReport& report) {
    component_.frame().clear();
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
    std::vector<engine::Picture> pictures;
    const Value* const autocast = values.facts().find("autocast");
    const c10::AutoGradMode mode(values.is_set("has_gradients"));
    {
        std::optional<engine::compat::Autocast> cast;
        if (autocast != nullptr) {
            cast.emplace(component_.device().type(),
                         *autocast == Value("fp16") ? at::kHalf : at::kBFloat16);
        }
        timed("forward", report, [&] { component_.forward(step, component_.frame(), &pictures); });
    }
    if (values.is_set("failed")) {
        return;  // the recording has no outputs
    }
    if (autocast == nullptr) {
        component_.check_outputs(step.batch_size);
    }
    compare_outputs(values, report);
    compare_pictures(values, pictures, report);
    compare_tensors(values, report);
    backward(values, report);
}

void ReplayedComponent::transform(const RecordedValues& values, ReplayReport& report) {
    const bool has_state = !component_.instance().may_run_in_loaders();
    component_.frame().clear();
    if (has_state) {
        restore(values);
    }
    fill_samples(values);
    fill_inputs(values);
    const c10::AutoGradMode mode(values.is_set("has_gradients"));
    timed("transform", report, [&] { component_.transform(component_.frame()); });
    if (!values.is_set("failed")) {
        compare_outputs(values, report);
        if (has_state) {
            compare_tensors(values, report);
        }
    }
}

void ReplayedComponent::fetch(const RecordedValues& values, ReplayReport& report) {
    component_.frame().clear();
    fill_samples(values);
    const BatchSamples& samples = component_.frame().samples();
    const std::int64_t size = component_.instance().size();
    const auto* const indices = samples.indices.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < samples.seeds.size(); ++i) {
        if (indices[i] < 0 || indices[i] >= size) {
            refuse_build(fmt::format("sample {} was read, and it has {}", indices[i], size));
        }
    }
    timed("fetch", report, [&] { component_.fetch(component_.frame()); });
    if (!values.is_set("failed")) {
        compare_outputs(values, report);
    }
}

void ReplayedComponent::measure(const std::string& call, const RecordedValues& values,
                                ReplayReport& report) {
    if (!component_.instance().has_statistics()) {
        refuse_build("it has no statistics");
    }
    const auto set = static_cast<std::uint64_t>(values.integer("set"));
    if (call == "reset") {
        component_.instance().reset_statistics(set);
        return;
    }
    const std::vector<plugin::Statistic>& declared = node().component->statistics;
    std::vector<double> numbers(declared.size());
    if (call == "collect") {
        component_.instance().collect_statistics(set, numbers.data());
    } else {
        component_.instance().aggregate_statistics(set, numbers.data());
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
    const std::optional<Instance::State> now = component_.instance().export_state();
    if (!now) {
        report.differ("its state", {.recorded = "some", .now = "none"});
        return;
    }
    report.compare("its state", *state, now->value);
}

}  // namespace ptp::solo

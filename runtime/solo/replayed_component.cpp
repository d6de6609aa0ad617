// Repeats the calls of a recording, and compares what follows from each.

#include "base/error.hpp"
#include "base/ranges.hpp"
#include "engine/component/compat.hpp"
#include "engine/train/process_setup.hpp"
#include "solo/recorded_values.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

namespace ptp::solo {

namespace {

// Returns "episode 5 (training, epoch 1, batch 5)"; loaders have no episodes.
std::string call_text(const RecordedValues& values, std::uint64_t batch) {
    const std::int64_t epoch = values.integer("epoch") + 1;
    return values.facts().find("section") == nullptr
               ? fmt::format("batch {} of the recording (epoch {})", batch, epoch)
               : fmt::format("episode {} ({}, epoch {}, batch {})", values.integer("episode"),
                             values.text("section"), epoch, values.integer("batch_index"));
}

// Refuses a build that cannot run on another build's recording. Throws RunError.
[[noreturn]] void refuse_build(const std::string& problem) {
    throw RunError(kPluginError, "it does not fit the recording: " + problem);
}

class ReplayedComponent {
public:
    ReplayedComponent(const Replayed& parts, ReplayReport& report)
        : recording_(parts.recording),
          report_(report),
          component_(
              parts.plan, parts.info,
              {.folder = parts.folder,
               .device = engine::usable_device(recording_.record.find("device")->as_string(),
                                               recording_.record.find("deterministic") == nullptr),
               .seed = static_cast<std::uint64_t>(recording_.record.find("seed")->as_integer()),
               .publisher = "the recording"}) {}

    void play() {
        report_.begin_call("create()");
        if (const Value* const samples = recording_.record.find("samples")) {
            report_.compare("the number of samples", *samples, Value(instance().size()));
        }
        report_.begin_call("before the first batch");
        for (std::size_t i = 0; i < recording_.calls().size(); ++i) {
            try {
                play(RecordedValues(recording_, i));
            } catch (const RecordingError&) {
                throw;
            } catch (const RunError& error) {
                throw RunError(kPluginError, fmt::format("{}: {}", report_.where(), error.what()));
            }
        }
        const Value* const state = recording_.record.find("state");
        if (state == nullptr) {
            return;
        }
        report_.begin_call("the end");
        if (const std::optional<Instance::State> now = instance().export_state()) {
            report_.compare("its state", *state, now->value);
        } else {
            report_.differ("its state", {.recorded = "some", .now = "none"});
        }
    }

private:
    void play(const RecordedValues& values) {
        const std::string& call = values.text("call");
        if (call == "forward" || call == "transform" || call == "fetch") {
            report_.begin_call(call_text(values, batch_++));
            component_.frame().clear();
        }
        if (call == "forward") {
            forward(values);
        } else if (call == "transform") {
            transform(values);
        } else if (call == "fetch") {
            fetch(values);
        } else if (call == "set_training") {
            instance().set_training(values.is_set("is_training"));
        } else if (call == "import_state") {
            const Value* const state = values.facts().find("state");
            if (state == nullptr) {
                throw RecordingError("has an import_state() without a state");
            }
            instance().import_state(
                {static_cast<std::uint32_t>(values.integer("version")), *state});
        } else if (call == "reset" || call == "collect" || call == "aggregate") {
            measure(call, values);
        } else {
            throw RecordingError(fmt::format("has an unknown call '{}'", call));
        }
    }

    void forward(const RecordedValues& values) {
        restore(values);
        fill_inputs(values);
        ptp_step step{};
        step.struct_size = sizeof(ptp_step);
        step.is_training = values.is_set("is_training") ? 1 : 0;
        step.episode = static_cast<std::uint64_t>(values.integer("episode"));
        step.epoch = static_cast<std::uint64_t>(values.integer("epoch"));
        step.section = values.text("section").c_str();
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
            timed("forward", [&] { component_.forward(step, component_.frame(), &pictures); });
        }
        if (values.is_set("failed")) {
            return;  // the recording has no outputs
        }
        if (autocast == nullptr) {
            component_.check_outputs(step.batch_size);
        }
        compare_outputs(values);
        compare_pictures(values, pictures);
        compare_tensors(values);
        backward(values);
    }

    void transform(const RecordedValues& values) {
        const bool has_state = !instance().may_run_in_loaders();
        if (has_state) {
            restore(values);
        }
        fill_samples(values);
        fill_inputs(values);
        const c10::AutoGradMode mode(values.is_set("has_gradients"));
        timed("transform", [&] { component_.transform(component_.frame()); });
        if (!values.is_set("failed")) {
            compare_outputs(values);
            if (has_state) {
                compare_tensors(values);
            }
        }
    }

    void fetch(const RecordedValues& values) {
        fill_samples(values);
        const BatchSamples& samples = component_.frame().samples();
        const std::int64_t size = instance().size();
        const auto* const indices = samples.indices.data_ptr<std::int64_t>();
        for (std::size_t i = 0; i < samples.seeds.size(); ++i) {
            if (indices[i] < 0 || indices[i] >= size) {
                refuse_build(fmt::format("sample {} was read, and it has {}", indices[i], size));
            }
        }
        timed("fetch", [&] { component_.fetch(component_.frame()); });
        if (!values.is_set("failed")) {
            compare_outputs(values);
        }
    }

    void measure(const std::string& call, const RecordedValues& values) {
        if (!instance().has_statistics()) {
            refuse_build("it has no statistics");
        }
        const auto set = static_cast<std::uint64_t>(values.integer("set"));
        const bool is_over_set = call == "aggregate";
        std::vector<double> numbers(node().component->statistics.size());
        if (call == "reset") {
            instance().reset_statistics(set);
            return;
        }
        if (is_over_set) {
            instance().aggregate_statistics(set, numbers.data());
        } else {
            instance().collect_statistics(set, numbers.data());
        }
        const auto all = defined_statistics(node(), is_over_set, numbers.data());
        const std::vector<std::string> names = values.texts("statistics");
        const at::Tensor* const recorded = values.tensor("statistics");
        const std::int64_t count = recorded == nullptr ? 0 : recorded->numel();
        for (std::int64_t i = 0; i < std::min<std::int64_t>(count, std::ssize(names)); ++i) {
            const std::string& name = names[static_cast<std::size_t>(i)];
            const auto now = std::ranges::find(all, name, &std::pair<std::string, double>::first);
            report_.compare(
                fmt::format("the statistic '{}'{}", name, is_over_set ? " over the set" : ""),
                (*recorded)[i],
                now == all.end() ? at::Tensor() : at::scalar_tensor(now->second, at::kDouble));
        }
    }

    // Restores its weights, which of them are trained, and its random generators from before the
    // call.
    void restore(const RecordedValues& values) {
        for (auto& [name, tensor] : values.tensors("given/")) {
            known_[name] = tensor;
        }
        if (values.facts().find("trained") != nullptr) {
            trained_ = values.texts("trained");
        }
        const c10::AutoGradMode without_gradients(false);
        std::vector<NamedTensor> own = instance().tensors();
        for (const auto& [name, recorded] : known_) {
            const auto place = std::ranges::find(own, name, &NamedTensor::name);
            if (place == own.end()) {
                refuse_build(fmt::format("it has no tensor '{}'", name));
            }
            if (place->tensor.sizes() != recorded.sizes()) {
                refuse_build(fmt::format("its tensor '{}' is {}, and was {}", name,
                                         tensor_text(place->tensor), tensor_text(recorded)));
            }
            place->tensor.copy_(recorded);
        }
        for (NamedTensor& named : own) {
            if (!known_.contains(named.name)) {
                refuse_build(fmt::format("it has a tensor '{}', which was not there", named.name));
            }
            if (named.tensor.is_floating_point() && named.tensor.is_leaf()) {
                named.tensor.set_requires_grad(std::ranges::count(trained_, named.name) > 0);
            }
            named.tensor.mutable_grad().reset();
        }
        for (std::size_t i = 0;
             const at::Tensor* state = values.tensor(fmt::format("generator/{}", i)); ++i) {
            generators_.resize(std::max(generators_.size(), i + 1));
            generators_[i] = *state;
        }
        component_.set_generators(generators_);
    }

    void fill_inputs(const RecordedValues& values) {
        for (const pipeline::Binding& input : node().inputs) {
            if (input.stream >= 0) {
                values.fill("input/" + component_.stream_of(input), component_.device(),
                            component_.frame()[input.stream]);
            }
        }
    }

    void fill_samples(const RecordedValues& values) {
        BatchSamples& samples = component_.frame().samples();
        samples.seeds.clear();
        for (const Value& seed : values.items("seeds")) {
            samples.seeds.push_back(
                seed.is_integer() ? static_cast<std::uint64_t>(seed.as_integer()) : 0);
        }
        samples.epoch = static_cast<std::uint64_t>(values.integer("epoch"));
        samples.is_training = values.is_set("is_training");
        const at::Tensor* const indices = values.tensor("indices");
        if (indices == nullptr || indices->scalar_type() != at::kLong ||
            indices->numel() != std::ssize(samples.seeds)) {
            throw RecordingError("lacks the indices of the samples");
        }
        samples.indices = *indices;
    }

    void compare_outputs(const RecordedValues& values) {
        std::vector<std::string> own;
        for (const pipeline::Binding& output : node().outputs) {
            if (output.stream >= 0) {
                own.push_back(component_.stream_of(output));
                values.compare("output/" + own.back(), fmt::format("the stream '{}'", own.back()),
                               component_.frame()[output.stream], report_);
            }
        }
        for (const Value& output : recording_.record.find("outputs")->items()) {
            const std::string name = output.text_at("stream");
            if (std::ranges::count(own, name) == 0) {
                report_.differ(fmt::format("the stream '{}'", name),
                               {.recorded = "a value", .now = "nothing"});
            }
        }
    }

    void compare_pictures(const RecordedValues& values,
                          const std::vector<engine::Picture>& pictures) {
        const std::vector<std::string> tags = transformed(pictures, &engine::Picture::tag);
        const std::vector<std::string> recorded = values.texts("pictures");
        if (recorded.empty() && tags.empty()) {
            return;
        }
        report_.compare("the names of the pictures", recorded, tags);
        for (std::size_t i = 0; i < std::min(recorded.size(), pictures.size()); ++i) {
            report_.compare(fmt::format("the picture '{}'", recorded[i]),
                            values.value(fmt::format("picture/{}", i)), pictures[i].pixels);
        }
    }

    // Compares its own tensors, such as running means.
    void compare_tensors(const RecordedValues& values) {
        std::vector<std::string> changed;
        for (const auto& [name, tensor] : values.tensors("changed/")) {
            known_[name] = tensor;
            changed.push_back(name);
        }
        for (const NamedTensor& named : instance().tensors()) {
            const at::Tensor& recorded = known_.at(named.name);
            if (std::ranges::count(changed, named.name) > 0 ||
                difference_of(recorded, named.tensor, std::nullopt)) {
                report_.compare(fmt::format("its tensor '{}' after the call", named.name), recorded,
                                named.tensor);
            }
        }
    }

    void backward(const RecordedValues& values) {
        std::vector<at::Tensor> roots;
        std::vector<at::Tensor> gradients;
        for (const pipeline::Binding& output : node().outputs) {
            const std::string stream = output.stream < 0 ? "" : component_.stream_of(output);
            const at::Tensor gradient = values.value("gradient/output/" + stream);
            if (!gradient.defined()) {
                continue;
            }
            const at::Tensor& tensor = component_.frame()[output.stream].tensor;
            if (!tensor.defined() || !tensor.requires_grad() ||
                tensor.sizes() != gradient.sizes()) {
                report_.differ(fmt::format("the gradient of the stream '{}'", stream),
                               {.recorded = tensor_text(gradient), .now = "none flows through it"});
                continue;
            }
            roots.push_back(tensor);
            gradients.push_back(gradient.to(tensor.options().requires_grad(false)));
        }
        if (!roots.empty()) {
            timed("backward", [&] { torch::autograd::backward(roots, gradients); });
            compare_gradients(values);
        }
    }

    void compare_gradients(const RecordedValues& values) {
        for (const NamedTensor& named : instance().tensors()) {
            const at::Tensor recorded = values.value("gradient/parameter/" + named.name);
            if (recorded.defined() || named.tensor.grad().defined()) {
                report_.compare(fmt::format("the gradient of its parameter '{}'", named.name),
                                recorded, named.tensor.grad());
            }
        }
        for (const pipeline::Binding& input : node().inputs) {
            const std::string stream = input.stream < 0 ? "" : component_.stream_of(input);
            const at::Tensor recorded = values.value("gradient/input/" + stream);
            if (recorded.defined()) {
                const at::Tensor& tensor = component_.frame()[input.stream].tensor;
                report_.compare(fmt::format("the gradient of the stream '{}'", stream), recorded,
                                tensor.defined() ? tensor.grad() : at::Tensor());
            }
        }
    }

    // Does work of the component and adds its duration.
    template <class Work>
    void timed(const char* call, Work work) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        if (!component_.device().is_cpu()) {  // wait until the device has done it
            static_cast<void>(at::empty({1}, at::TensorOptions(component_.device())).zero_().cpu());
        }
        report_.add_time(call, std::chrono::steady_clock::now() - begin);
    }

    [[nodiscard]] Instance& instance() { return component_.instance(); }
    [[nodiscard]] const pipeline::Node& node() const { return component_.instance().node(); }

    const Recording& recording_;
    ReplayReport& report_;
    LoneComponent component_;
    std::map<std::string, at::Tensor> known_;  // its tensors, as recorded so far
    std::vector<at::Tensor> generators_;
    std::vector<std::string> trained_;
    std::uint64_t batch_ = 0;
};

}  // namespace

void replay_calls(const Replayed& parts, ReplayReport& report) {
    ReplayedComponent(parts, report).play();
}

}  // namespace ptp::solo

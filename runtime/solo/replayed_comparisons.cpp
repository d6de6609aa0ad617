// Sets up a replayed component before a call, and compares its results after it.

#include "base/error.hpp"
#include "solo/replayed_component.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <utility>

namespace ptp::solo {

namespace {

at::Tensor dense_on_cpu(const at::Tensor& gradient) {
    if (!gradient.defined()) {
        return {};
    }
    const at::Tensor plain = gradient.detach();
    return (plain.is_sparse() ? plain.to_dense() : plain).cpu();
}

}  // namespace

void refuse_build(const std::string& problem) {
    throw RunError(kPluginError, "it does not fit the recording: " + problem);
}

// Restores its weights, which of them are trained, and its random generators from before the call.
void ReplayedComponent::restore(const RecordedValues& values) {
    for (auto& [name, tensor] : values.tensors("given/")) {
        known_[name] = tensor;
    }
    if (values.facts().find("trained") != nullptr) {
        trained_ = values.texts("trained");
    }
    const c10::AutoGradMode without_gradients(false);
    std::vector<NamedTensor> own = component_.instance().tensors();
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
    for (std::size_t i = 0; const at::Tensor* state = values.tensor(fmt::format("generator/{}", i));
         ++i) {
        generators_.resize(std::max(generators_.size(), i + 1));
        generators_[i] = *state;
    }
    component_.set_generators(generators_);
}

void ReplayedComponent::fill_inputs(const RecordedValues& values) {
    for (const pipeline::Binding& input : node().inputs) {
        if (input.stream >= 0) {
            values.fill("input/" + component_.stream_of(input), component_.device(),
                        component_.frame()[input.stream]);
        }
    }
}

void ReplayedComponent::fill_samples(const RecordedValues& values) {
    BatchSamples& samples = component_.frame().samples();
    samples.seeds = values.seeds();
    samples.epoch = static_cast<std::uint64_t>(values.integer("epoch"));
    samples.is_training = values.is_set("is_training");
    const at::Tensor* const indices = values.tensor("indices");
    if (indices == nullptr || indices->scalar_type() != at::kLong ||
        indices->numel() != std::ssize(samples.seeds)) {
        throw RecordingError("lacks the indices of the samples");
    }
    samples.indices = *indices;
}

void ReplayedComponent::compare_outputs(const RecordedValues& values, ReplayReport& report) {
    for (const pipeline::Binding& output : node().outputs) {
        if (output.stream < 0) {
            continue;
        }
        const std::string& stream = component_.stream_of(output);
        const Slot& slot = component_.frame()[output.stream];
        const std::string what = fmt::format("the stream '{}'", stream);
        if (values.has("output/" + stream, slot.element)) {
            values.compare("output/" + stream, what, slot, report);
        } else {
            report.differ(what, {.recorded = "nothing", .now = "a value"});
        }
    }
    for (const Value& output : recording_.record.find("outputs")->items()) {
        const Value* const stream = output.find("stream");
        const std::string name =
            stream != nullptr && stream->is_string() ? stream->as_string() : "";
        const auto is_it = [&](const pipeline::Binding& own) {
            return own.stream >= 0 && component_.stream_of(own) == name;
        };
        if (std::ranges::none_of(node().outputs, is_it)) {
            report.differ(fmt::format("the stream '{}'", name),
                          {.recorded = "a value", .now = "nothing"});
        }
    }
}

void ReplayedComponent::compare_pictures(const RecordedValues& values,
                                         const std::vector<engine::Picture>& pictures,
                                         ReplayReport& report) {
    std::vector<std::string> tags;
    for (const engine::Picture& picture : pictures) {
        tags.push_back(picture.tag);
    }
    const std::vector<std::string> recorded = values.texts("pictures");
    if (recorded.empty() && tags.empty()) {
        return;
    }
    report.compare("the names of the pictures", recorded, tags);
    for (std::size_t i = 0; i < std::min(recorded.size(), pictures.size()); ++i) {
        const at::Tensor* const pixels = values.tensor(fmt::format("picture/{}", i));
        report.compare(fmt::format("the picture '{}'", recorded[i]),
                       pixels == nullptr ? at::Tensor() : *pixels, pictures[i].pixels.contiguous());
    }
}

// Compares its own tensors, such as running means.
void ReplayedComponent::compare_tensors(const RecordedValues& values, ReplayReport& report) {
    const TensorsByName changed = values.tensors("changed/");
    for (const auto& [name, tensor] : changed) {
        known_[name] = tensor;
    }
    for (const NamedTensor& named : component_.instance().tensors()) {
        const auto is_it = [&](const auto& each) { return each.first == named.name; };
        const at::Tensor now = named.tensor.detach().cpu();
        const bool was_changed = std::ranges::any_of(changed, is_it);
        if (was_changed || difference_of(known_.at(named.name), now, std::nullopt)) {
            report.compare(fmt::format("its tensor '{}' after the call", named.name),
                           known_.at(named.name), now);
        }
    }
}

void ReplayedComponent::backward(const RecordedValues& values, ReplayReport& report) {
    std::vector<at::Tensor> roots;
    std::vector<at::Tensor> gradients;
    for (const auto& [stream, gradient] : values.tensors("gradient/output/")) {
        for (const pipeline::Binding& output : node().outputs) {
            if (output.stream < 0 || component_.stream_of(output) != stream) {
                continue;
            }
            const at::Tensor& tensor = component_.frame()[output.stream].tensor;
            if (!tensor.defined() || !tensor.requires_grad() ||
                tensor.sizes() != gradient.sizes()) {
                report.differ(fmt::format("the gradient of the stream '{}'", stream),
                              {.recorded = tensor_text(gradient), .now = "none flows through it"});
                continue;
            }
            roots.push_back(tensor);
            gradients.push_back(gradient.to(tensor.options().requires_grad(false)));
        }
    }
    if (roots.empty()) {
        return;
    }
    timed("backward", report, [&] { torch::autograd::backward(roots, gradients); });
    compare_gradients(values, report);
}

void ReplayedComponent::compare_gradients(const RecordedValues& values, ReplayReport& report) {
    for (const NamedTensor& named : component_.instance().tensors()) {
        const at::Tensor* const recorded = values.tensor("gradient/parameter/" + named.name);
        const at::Tensor now = dense_on_cpu(named.tensor.grad());
        if (recorded != nullptr || now.defined()) {
            report.compare(fmt::format("the gradient of its parameter '{}'", named.name),
                           recorded == nullptr ? at::Tensor() : *recorded, now);
        }
    }
    for (const auto& [stream, recorded] : values.tensors("gradient/input/")) {
        for (const pipeline::Binding& input : node().inputs) {
            if (input.stream >= 0 && component_.stream_of(input) == stream) {
                const at::Tensor& tensor = component_.frame()[input.stream].tensor;
                report.compare(fmt::format("the gradient of the stream '{}'", stream), recorded,
                               dense_on_cpu(tensor.defined() ? tensor.grad() : at::Tensor()));
            }
        }
    }
}

}  // namespace ptp::solo

// Compares the values that a component has written with the types and shapes that it declares.

#include "engine/component/output_check.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "pipeline/padding.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::engine {

namespace {

bool fits(plugin::Element element, at::ScalarType type) {
    switch (element) {
        case plugin::Element::kFloating:
            return at::isFloatingType(type);
        case plugin::Element::kInteger:
            return type == at::kLong || type == at::kInt || type == at::kShort || type == at::kChar;
        case plugin::Element::kBoolean:
            return type == at::kBool;
        case plugin::Element::kByte:
            return type == at::kByte;
        default:
            return false;
    }
}

const char* element_text(plugin::Element element) {
    switch (element) {
        case plugin::Element::kFloating:
            return "a tensor of a floating type";
        case plugin::Element::kInteger:
            return "a tensor of a signed integer type";
        case plugin::Element::kBoolean:
            return "a tensor of bool";
        case plugin::Element::kByte:
            return "a tensor of uint8";
        default:
            return "something else";
    }
}

bool is_text(const Slot& slot) {
    return slot.element == PTP_STRING || slot.element == PTP_TOKENS;
}

// Compares the few sizes directly, which is faster than a call of memcmp().
bool are_equal(at::IntArrayRef left, const at::DimVector& right) {
    bool is_equal = left.size() == right.size();
    for (std::size_t i = 0; is_equal && i < left.size(); ++i) {
        is_equal = left[i] == right[i];
    }
    return is_equal;
}

// Returns the number of samples of a slot with text.
std::uint64_t sample_count(const Slot& slot) {
    return slot.element == PTP_TOKENS ? slot.text.row_count : slot.text.string_count;
}

bool is_written(const Slot& slot) {
    return is_text(slot)                     ? slot.text.is_written()
           : slot.element == PTP_TENSOR_LIST ? slot.list.is_written()
                                             : slot.tensor.defined();
}

[[noreturn]] void refuse(const Instance& instance, const pipeline::Plan& plan,
                         const pipeline::Binding& binding, const std::string& problem) {
    throw RunError(kPluginError,
                   fmt::format("{}: output '{}' (stream '{}'): {}", instance.blamed(), binding.name,
                               plan.stream(binding.stream).name, problem));
}

// Throws the error where the experiment combines the sizes: no plugin is to blame for it.
void refuse_other_length(const std::optional<Explanation>& explanation) {
    if (explanation) {
        throw WithFix<RunError>(kConfigurationError, *explanation);
    }
}

}  // namespace

OutputCheck::OutputCheck(const pipeline::Plan& plan)
    : plan_(plan), seen_(plan.streams.size()), bound_(plan.symbols.size()) {
    passed_.reserve(plan.nodes.size() + 1);
}

void OutputCheck::begin(std::uint64_t batch_size, bool is_thorough) {
    is_thorough_ = is_thorough || batch_size != batch_size_;
    batch_size_ = batch_size;
    passed_.clear();
    ++step_;
}

void OutputCheck::check(const Instance& instance, const Frame& frame, at::Device device) {
    const bool is_same =
        !is_thorough_ &&
        std::ranges::all_of(instance.node().outputs, [&](const pipeline::Binding& output) {
            return output.stream < 0 ||
                   is_as_before(frame[output.stream],
                                seen_[static_cast<std::size_t>(output.stream)], device);
        });
    if (!is_same && !std::exchange(is_thorough_, true)) {
        // The other sizes may only seem right: they agreed with the old one.
        for (const Instance* other : passed_) {
            check_all(*other, frame, std::nullopt);
        }
    }
    if (is_thorough_) {
        check_all(instance, frame, device);
    }
    passed_.push_back(&instance);
}

// Text has only the batch's size. The sizes of a list are those of its tensors, new in each step.
bool OutputCheck::is_as_before(const Slot& slot, const Seen& seen, at::Device device) const {
    if (is_tensor(slot.element)) {
        return slot.tensor.defined() && slot.tensor.scalar_type() == seen.type &&
               slot.tensor.device() == device && are_equal(slot.tensor.sizes(), seen.sizes);
    }
    return is_text(slot) && slot.text.is_written() && sample_count(slot) == batch_size_;
}

void OutputCheck::check_all(const Instance& instance, const Frame& frame,
                            std::optional<at::Device> device) {
    for (const pipeline::Binding& output : instance.node().outputs) {
        if (output.stream < 0) {
            continue;
        }
        const Slot& slot = frame[output.stream];
        check_output(instance, output, slot);
        if (!is_tensor(slot.element)) {
            continue;
        }
        if (device && slot.tensor.device() != *device) {
            refuse(
                instance, plan_, output,
                fmt::format("is on {}, must be on {}", slot.tensor.device().str(), device->str()));
        }
        Seen& seen = seen_[static_cast<std::size_t>(output.stream)];
        seen.sizes = at::DimVector(slot.tensor.sizes());
        seen.type = slot.tensor.scalar_type();
    }
}

void OutputCheck::check_output(const Instance& instance, const pipeline::Binding& binding,
                               const Slot& slot) {
    if (!is_written(slot)) {
        refuse(instance, plan_, binding, "was not written");
    }
    if (is_text(slot)) {
        if (sample_count(slot) != batch_size_) {
            refuse(instance, plan_, binding,
                   fmt::format("has {}, the batch has {}", counted(sample_count(slot), "sample"),
                               batch_size_));
        }
        return;
    }
    if (slot.element == PTP_TENSOR_LIST) {
        check_list(instance, binding, slot.list);
        return;
    }
    const plugin::Element element = instance.node().port(binding).element;
    const at::ScalarType type = slot.tensor.scalar_type();
    if (!fits(element, type)) {
        refuse(instance, plan_, binding,
               fmt::format("is a tensor of {}, must be {}", c10::toString(type),
                           element_text(element)));
    }
    check_sizes(instance, binding, slot.tensor.sizes());
}

void OutputCheck::check_list(const Instance& instance, const pipeline::Binding& binding,
                             const TensorList& list) {
    if (list.count != batch_size_) {
        refuse(instance, plan_, binding,
               fmt::format("has {}, the batch has {}", counted(list.count, "tensor"),
                           counted(batch_size_, "sample")));
    }
    for (std::size_t i = 0; i < list.tensors().size(); ++i) {
        const at::Tensor& tensor = list.tensors()[i];
        if (!tensor.defined()) {
            refuse(instance, plan_, binding, fmt::format("tensor {} was not written", i));
        }
        std::vector<std::int64_t> sizes{static_cast<std::int64_t>(batch_size_)};
        sizes.insert(sizes.end(), tensor.sizes().begin(), tensor.sizes().end());
        check_sizes(instance, binding, sizes);
    }
}

void OutputCheck::check_sizes(const Instance& instance, const pipeline::Binding& binding,
                              at::IntArrayRef sizes) {
    const auto samples = static_cast<std::int64_t>(batch_size_);
    const auto problem = pipeline::check_shape(plan_, instance.node(), binding,
                                               {sizes.data(), sizes.size()}, samples);
    if (problem) {
        refuse_other_length(pipeline::other_length(
            plan_, {instance.node(), binding, {sizes.data(), sizes.size()}}, samples));
        const plugin::Manifest& manifest = instance.node().plugin->manifest;
        throw RunError(kPluginError, fmt::format("plugin '{}' {}: {}", manifest.name,
                                                 manifest.version, *problem));
    }
    bind(instance, binding, sizes);
}

// A size that is in no setting or global is taken from the first stream of the step.
void OutputCheck::bind(const Instance& instance, const pipeline::Binding& binding,
                       at::IntArrayRef sizes) {
    if (!binding.has_shape) {
        return;
    }
    for (std::size_t i = 0; i < binding.shape.size(); ++i) {
        const int symbol = binding.shape[i].symbol;
        if (symbol < 0 || symbol == pipeline::kBatchSymbol ||
            pipeline::size_of(plan_, binding.shape[i])) {
            continue;
        }
        Bound& bound = bound_[static_cast<std::size_t>(symbol)];
        if (bound.step != step_) {
            bound = {step_, sizes[i], binding.stream};
        } else if (bound.size != sizes[i]) {
            const at::DimVector& other = seen_[static_cast<std::size_t>(bound.stream)].sizes;
            refuse_other_length(pipeline::other_length(
                plan_, {instance.node(), binding, {sizes.data(), sizes.size()}},
                pipeline::LengthOfOther{bound.stream, {other.data(), other.size()}, i}));
            refuse(instance, plan_, binding,
                   fmt::format("'{}' is {} in it and {} in stream '{}'", plan_.symbol(symbol).name,
                               sizes[i], bound.size, plan_.stream(bound.stream).name));
        }
    }
}

}  // namespace ptp::engine

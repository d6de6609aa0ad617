// The calls about single samples: of a task, of a transform that treats each sample by itself, and
// of a loss or statistic that has values for each.

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "engine/component/call_recorder.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/instance_invoke.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/sizes.hpp"

#include <ptp/ext/draft/sample_values.h>
#include <ptp/ext/draft/sampling.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/task.h>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace ptp::engine {

bool Instance::may_run_in_loaders() const {
    return is_per_sample() && node_.component->kind == plugin::Kind::kTransform &&
           parameters_ == nullptr && mode_ == nullptr && state_ == nullptr &&
           statistics_ == nullptr;
}

void Instance::transform(const BatchSamples& samples, const ptp_value* const* inputs,
                         ptp_value* const* outputs) {
    std::vector<std::uint64_t> seeds = transformed(
        samples.seeds, [&](const std::uint64_t seed) { return derived(seed, node_.name); });
    ptp_samples given{};
    given.struct_size = sizeof(ptp_samples);
    given.is_training = samples.is_training ? 1 : 0;
    given.indices = samples.indices.data_ptr<std::int64_t>();
    given.seeds = seeds.data();
    given.count = seeds.size();
    given.epoch = samples.epoch;
    CallValues values{{inputs, input_elements_.size()},
                      input_elements_,
                      {outputs, output_elements_.size()},
                      output_elements_};
    values.samples = {given.indices, given.count};
    const auto call = recorder_ == nullptr ? nullptr : recorder_->begin_transform(samples, values);
    record_call(recorder_, call, values, [&] {
        invoke_in_any_thread(values, "transform()", [&] {
            return sample_transform_->transform(handle_, &given, inputs, outputs);
        });
    });
}

void Instance::pass_through(const ptp_value* const* inputs, ptp_value* const* outputs) const {
    for (const auto& [in, out] : node_.passed_ports()) {
        copy_value(inputs[in], outputs[out], output_elements_[out]);
    }
}

std::int64_t Instance::size() {
    std::int64_t size = -1;
    invoke({}, "size()", [&] { return task_->size(handle_, &size); });
    if (size < 0) {
        throw RunError(kPluginError, fmt::format("{}: its size is {}", blamed_, size));
    }
    const auto declared = pipeline::declared_sample_count(node_);
    if (declared && *declared != size) {
        throw RunError(kPluginError,
                       fmt::format("{}: has {} samples, but declares {} ({})", blamed_, size,
                                   *declared, node_.component->sample_count));
    }
    return size;
}

bool Instance::is_concurrent() const {
    return (task_->flags & PTP_TASK_CONCURRENT) != 0;
}

void Instance::fetch(const ptp_fetch& fetch, ptp_value* const* outputs) {
    CallValues values{{}, {}, {outputs, output_elements_.size()}, output_elements_};
    values.samples = {fetch.indices, fetch.count};
    std::unique_lock<std::mutex> one_by_one;
    if (recorder_ != nullptr && !is_concurrent()) {
        one_by_one = recorder_->in_order();
    }
    const auto call = recorder_ == nullptr ? nullptr : recorder_->begin_fetch(fetch);
    record_call(recorder_, call, values, [&] {
        std::shared_lock<std::shared_mutex> together(fetching_, std::defer_lock);
        std::unique_lock<std::shared_mutex> alone(fetching_, std::defer_lock);
        if (is_concurrent()) {
            together.lock();
        } else {
            alone.lock();
        }
        invoke_in_any_thread(values, "fetch()",
                             [&] { return task_->fetch(handle_, &fetch, outputs); });
    });
}

template <class Number>
std::vector<Number> Instance::numbers_of_samples(ptp_status (*write)(void*, Number*),
                                                 const char* work, const char* what) {
    std::vector<Number> numbers(static_cast<std::size_t>(size()), Number{-1});
    invoke({}, work, [&] { return write(handle_, numbers.data()); });
    const auto wrong = std::ranges::find_if_not(
        numbers, [](Number number) { return number >= 0 && std::isfinite(double(number)); });
    if (wrong != numbers.end()) {
        throw RunError(kPluginError,
                       fmt::format("{}: sample {} has {} {}, must be finite and not negative",
                                   blamed_, wrong - numbers.begin(), what, *wrong));
    }
    return numbers;
}

std::optional<std::vector<double>> Instance::sample_weights() {
    if (sampling_ == nullptr || sampling_->weights == nullptr) {
        return std::nullopt;
    }
    return numbers_of_samples(sampling_->weights, "weights()", "a weight of");
}

std::optional<std::vector<std::int64_t>> Instance::sample_classes() {
    if (sampling_ == nullptr || sampling_->classes == nullptr) {
        return std::nullopt;
    }
    return numbers_of_samples(sampling_->classes, "classes()", "the class");
}

std::vector<std::string> Instance::sample_value_names() const {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; sample_values_ != nullptr && i < sample_values_->name_count; ++i) {
        const char* const name = sample_values_->names[i];
        if (name == nullptr || !is_snake_case(name) || std::ranges::count(names, name) > 0) {
            throw RunError(kPluginError,
                           fmt::format("{}: its value {} for each sample has the name '{}', must "
                                       "have a name of its own of lower-case letters, digits and _",
                                       blamed_, i, name == nullptr ? "" : harmless(name)));
        }
        names.emplace_back(name);
    }
    return names;
}

std::vector<double> Instance::collect_sample_values(std::uint64_t samples) {
    std::vector<double> values(sample_values_->name_count * samples,
                               std::numeric_limits<double>::quiet_NaN());
    invoke({}, "collect_samples()",
           [&] { return sample_values_->collect(handle_, samples, values.data()); });
    return values;
}

}  // namespace ptp::engine

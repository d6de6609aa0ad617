// The classes, weights and lengths of samples, from the task or from a stream that is read once.

#include "engine/data/labels.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/output_check.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/data/pass.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace ptp::engine {

namespace {

// Returns a number of a batch that is not a whole one; nullopt if there is none.
std::optional<double> other_than_class(const Slot& slot) {
    if (slot.element != PTP_FLOAT) {
        return std::nullopt;
    }
    const at::Tensor others = slot.tensor.masked_select(slot.tensor != slot.tensor.round());
    return others.numel() > 0 ? std::optional(others[0].item<double>()) : std::nullopt;
}

// The labels: whole numbers stay unchanged; strings are numbered in the order of their first
// appearance.
class LabelList {
public:
    void add(const Slot& slot) {
        if (slot.element == PTP_STRING) {
            for (std::uint64_t i = 0; i < slot.text.string_count; ++i) {
                add(std::string(slot.text.string(i)));
            }
            return;
        }
        const at::Tensor numbers = slot.tensor.to(at::kCPU, at::kLong).contiguous();
        const std::int64_t* first = numbers.data_ptr<std::int64_t>();
        labels_.insert(labels_.end(), first, first + numbers.numel());
    }

    std::vector<std::int64_t> take() { return std::move(labels_); }

private:
    void add(std::string name) {
        const auto number = static_cast<std::int64_t>(numbers_.size());
        labels_.push_back(numbers_.emplace(std::move(name), number).first->second);
    }

    std::vector<std::int64_t> labels_;
    std::map<std::string, std::int64_t> numbers_;
};

[[noreturn]] void refuse_sampler(const experiment::Section& section, const char* key,
                                 const SourceLocation& place, const char* reason, const char* fix) {
    throw WithFix<RunError>(
        kConfigurationError,
        {fmt::format("{}: {}.sampler.{} = \"{}\": {} {}", place.text(), section.name, key,
                     experiment::kFromTask, section.task.type, reason),
         fix});
}

std::vector<double> inverse_class_sizes(const std::vector<std::int64_t>& classes) {
    std::map<std::int64_t, double> sizes;
    for (const std::int64_t number : classes) {
        ++sizes[number];
    }
    std::vector<double> weights(classes.size());
    std::ranges::transform(classes, weights.begin(),
                           [&](std::int64_t number) { return 1 / sizes[number]; });
    return weights;
}

bool writes(const Instance& instance, int stream) {
    return std::ranges::find(instance.node().outputs, stream, &pipeline::Binding::stream) !=
           instance.node().outputs.end();
}

// Returns the transforms up to the one that writes the stream; none if the task does.
std::vector<Instance*> writers_of(const SampleStreams& from, const char* key,
                                  const std::string& name, int stream) {
    if (writes(from.task, stream)) {
        return {};
    }
    // The last of several that are tried in turn writes.
    const auto last =
        std::find_if(from.stage.rbegin(), from.stage.rend(),
                     [stream](const Instance* transform) { return writes(*transform, stream); });
    if (last == from.stage.rend()) {
        const experiment::Section& section = from.section;
        throw RunError(
            kConfigurationError,
            fmt::format("{}: {}.sampler.{} = \"{}\": neither {} nor a transform behind it that "
                        "treats each sample by itself writes this stream",
                        section.sampler->place.text(), section.name, key, name, from.task.title()));
    }
    return {from.stage.begin(), last.base()};
}

// Returns each sample's value of the stream that the sampler names by this key.
std::vector<std::int64_t> read_stream(const SampleStreams& from, const char* key,
                                      const std::string& name) {
    const auto& streams = from.plan.streams;
    const auto stream = static_cast<int>(  // one past the last if there is none
        std::ranges::find(streams, name, &pipeline::Stream::name) - streams.begin());
    const std::vector<Instance*> stage = writers_of(from, key, name, stream);
    experiment::Section whole = from.section;
    whole.sampler.reset();
    whole.dataloader.shuffle = false;
    whole.dataloader.drop_last = false;
    whole.batch_limit.reset();
    // Components with state are not called by several threads.
    const auto may = [](const Instance* transform) { return transform->may_run_in_loaders(); };
    whole.dataloader.num_workers =
        std::ranges::all_of(stage, may) ? whole.dataloader.num_workers : 0;
    BatchSource source(whole, from.plan, from.task, from.seed, {.loaded = stage});
    Frame frame(from.plan);
    OutputCheck check(from.plan);
    LabelList labels;
    Pass pass(source, 0, false);
    while (pass.next(frame)) {
        check.begin(pass.batch_size(), true);
        check.check(from.task, frame, at::kCPU);
        const Slot& slot = frame[stream];
        if (!stage.empty()) {
            check.check(*stage.back(), frame,
                        slot.tensor.defined() ? slot.tensor.device() : at::kCPU);
        }
        if (const auto other = other_than_class(slot)) {
            const experiment::Section& section = from.section;
            throw RunError(
                kConfigurationError,
                fmt::format("{}: {}.sampler.{} = \"{}\": has the number {}, which is "
                            "not the number of a class",
                            section.sampler->place.text(), section.name, key, name, *other));
        }
        labels.add(slot);
    }
    return labels.take();
}

std::vector<std::int64_t> labels_of(const SampleStreams& from) {
    const experiment::Section& section = from.section;
    if (!section.sampler || !section.sampler->needs_labels()) {
        return {};
    }
    if (const auto* groups = section.sampler->get<experiment::KFoldGroupSampler>()) {
        return read_stream(from, "group_stream", groups->group_stream);
    }
    const auto& classes = *section.sampler->get<experiment::Classes>();
    if (classes.labels && classes.labels->source.empty()) {
        return classes.labels->values;
    }
    if (classes.labels) {
        auto stated = from.task.sample_classes();
        if (!stated) {
            refuse_sampler(section, "labels", classes.labels->place,
                           "states no classes of its samples",
                           "name a stream of the task as label_stream, or list the labels");
        }
        return *std::move(stated);
    }
    return read_stream(from, "label_stream", classes.label_stream);
}

std::vector<double> weights_of_samples(const experiment::Section& section, Instance& task) {
    const auto* options = section.sampler ? section.sampler->get<experiment::Weights>() : nullptr;
    if (options == nullptr || section.sampler->is_in_order()) {
        return {};
    }
    if (options->weights->source.empty()) {
        return options->weights->values;
    }
    const auto stated = task.sample_weights();
    const auto classes = stated ? std::nullopt : task.sample_classes();
    if (!stated && !classes) {
        refuse_sampler(section, "weights", options->weights->place,
                       "states neither weights nor classes of its samples",
                       "give a list of weights or the name of a file");
    }
    const std::vector<double> weights = stated ? *stated : inverse_class_sizes(*classes);
    if (!weights.empty() &&
        std::ranges::all_of(weights, [](double weight) { return weight == 0; })) {
        refuse_sampler(section, "weights", options->weights->place,
                       "states a weight of 0 for each sample",
                       "give a list of weights or the name of a file");
    }
    return weights;
}

}  // namespace

SampleFacts sample_facts(const SampleStreams& from) {
    const std::optional<experiment::Sampler>& sampler = from.section.sampler;
    SampleFacts facts{.labels = labels_of(from),
                      .weights = weights_of_samples(from.section, from.task)};
    if (sampler && sampler->needs_lengths()) {
        facts.lengths =
            read_stream(from, "length_stream", sampler->get<experiment::Lengths>()->length_stream);
    }
    return facts;
}

}  // namespace ptp::engine

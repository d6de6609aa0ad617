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
#include <string>

namespace ptp::engine {

namespace {

// Whole numbers as they are; strings are numbered as they first come.
class LabelList {
public:
    void add(const Slot& slot) {
        if (slot.element == PTP_STRING) {
            for (std::uint64_t i = 0; i < slot.text.string_count; ++i) {
                const std::uint64_t begin = slot.text.offsets[i];
                add(std::string(slot.text.bytes + begin, slot.text.offsets[i + 1] - begin));
            }
            return;
        }
        const at::Tensor numbers = slot.tensor.to(at::kLong).contiguous();
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

int stream_named(const pipeline::Plan& plan, const std::string& name) {
    int stream = 0;
    while (plan.streams[static_cast<std::size_t>(stream)].name != name) {
        ++stream;
    }
    return stream;
}

}  // namespace

std::vector<std::int64_t> sample_labels(const experiment::Section& section,
                                        const pipeline::Plan& plan, Instance& task,
                                        std::uint64_t seed) {
    if (!section.sampler || !section.sampler->needs_labels()) {
        return {};
    }
    const auto& classes = *section.sampler->get<experiment::Classes>();
    if (classes.labels && classes.labels->source.empty()) {
        return classes.labels->values;
    }
    if (classes.labels) {
        auto stated = task.sample_classes();
        if (!stated) {
            refuse_sampler(section, "labels", classes.labels->place,
                           "states no classes of its samples",
                           "name a stream of the task as label_stream, or list the labels");
        }
        return *std::move(stated);
    }
    experiment::Section whole = section;
    whole.sampler.reset();
    whole.dataloader.shuffle = false;
    whole.dataloader.drop_last = false;
    whole.batch_limit.reset();
    const int stream = stream_named(plan, classes.label_stream);
    BatchSource source(whole, plan, task, seed);
    Frame frame(plan);
    OutputCheck check(plan);
    LabelList labels;
    Pass pass(source, 0, false);
    while (pass.next(frame)) {
        check.begin(pass.batch_size(), true);
        check.check(task, frame, at::kCPU);
        labels.add(frame[stream]);
    }
    return labels.take();
}

std::vector<double> sample_weights(const experiment::Section& section, Instance& task) {
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

}  // namespace ptp::engine

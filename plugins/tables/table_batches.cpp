// Copies the numbers and refers to the texts of the samples of a batch.

#include "table_batches.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cstring>

std::vector<std::string_view> texts_of(const ptp::support::Texts& all,
                                       std::span<const int64_t> samples) {
    return all.size() > 0 ? all.at(samples) : std::vector<std::string_view>();
}

at::Tensor numbers_of(const SampleNumbers& all, std::span<const int64_t> samples) {
    if (all.width == 0) {
        return {};
    }
    at::Tensor batch = at::empty(
        {static_cast<int64_t>(samples.size()), static_cast<int64_t>(all.width)}, at::kFloat);
    auto* to = batch.data_ptr<float>();
    for (const int64_t sample : samples) {
        std::memcpy(to, &all.numbers[static_cast<size_t>(sample) * all.width],
                    all.width * sizeof(float));
        to += all.width;
    }
    return batch;
}

at::Tensor weights_of(const SampleNumbers& all, std::span<const int64_t> samples) {
    const at::Tensor numbers = numbers_of(all, samples);
    return numbers.defined() ? numbers.view({-1}) : numbers;
}

at::Tensor targets_of(const std::vector<int64_t>& all, std::span<const int64_t> samples) {
    if (all.empty()) {
        return {};
    }
    at::Tensor targets = at::empty({static_cast<int64_t>(samples.size())}, at::kLong);
    auto* to = targets.data_ptr<int64_t>();
    for (const int64_t sample : samples) {
        *to++ = all[static_cast<size_t>(sample)];
    }
    return targets;
}

at::Tensor binary_targets(const std::vector<int64_t>& all, std::span<const int64_t> samples) {
    return all.empty() ? at::Tensor() : targets_of(all, samples).to(at::kFloat).view({-1, 1});
}

std::vector<std::string_view> labels_of(const TableSamples& all,
                                        const std::vector<std::string>& classes,
                                        std::span<const int64_t> samples) {
    if (all.targets.empty()) {
        return texts_of(all.labels, samples);
    }
    std::vector<std::string_view> labels;
    for (const int64_t sample : samples) {
        const auto place = static_cast<size_t>(sample);
        const int64_t target = all.targets[place];
        labels.push_back(target >= 0 ? classes[static_cast<size_t>(target)]
                                     : all.unlisted.at(place));
    }
    return labels;
}

at::Tensor flags_of(const ClassLists& lists, size_t class_count, std::span<const int64_t> samples) {
    if (lists.ends.empty()) {
        return {};
    }
    const auto classes = static_cast<int64_t>(class_count);
    at::Tensor flags = at::zeros({static_cast<int64_t>(samples.size()), classes}, at::kFloat);
    auto* to = flags.data_ptr<float>();
    for (const int64_t sample : samples) {
        for (const int32_t one : lists.of(static_cast<size_t>(sample))) {
            to[one] = 1;
        }
        to += classes;
    }
    return flags;
}

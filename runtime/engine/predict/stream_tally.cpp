// Measures tensors, lists and texts, and copies what is shown of single samples.

#include "engine/predict/stream_tally.hpp"

#include "base/text.hpp"
#include "engine/entry/summary.hpp"
#include "plugin/enum_names.hpp"

#include <ATen/ops/empty.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace ptp::engine {

namespace {

constexpr std::int64_t kMaxShownNumbers = (std::int64_t{1} << 20) / sizeof(float);
constexpr std::int64_t kMaxChannels = 4;

// Measures numbers in runs of `length` with this step between their beginnings.
struct Runs {
    const double* first;
    std::int64_t count;
    std::int64_t step;
    std::int64_t length;
};

Spread spread_of(const Runs& runs, std::uint64_t& not_finite) {
    Spread spread;
    double sum = 0;
    const auto for_each = [&](auto work) {
        for (std::int64_t i = 0; i < runs.count; ++i) {
            for (const double value :
                 std::span(runs.first + i * runs.step, static_cast<std::size_t>(runs.length))) {
                work(value);
            }
        }
    };
    for_each([&](double value) {
        if (!std::isfinite(value)) {
            ++not_finite;
            return;
        }
        ++spread.count;
        sum += value;
        spread.min = std::min(spread.min, value);
        spread.max = std::max(spread.max, value);
    });
    spread.mean = spread.count == 0 ? 0 : sum / static_cast<double>(spread.count);
    for_each([&](double value) {
        const double distance = value - spread.mean;
        spread.squares += std::isfinite(value) ? distance * distance : 0;
    });
    return spread;
}

std::uint64_t characters_in(std::string_view text) {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string type_of(const Slot& slot) {
    if (is_tensor(slot.element)) {
        return tensor_type_name(slot.tensor);
    }
    if (slot.element == PTP_TENSOR_LIST) {
        const auto& tensors = slot.list.tensors();
        return tensors.empty() ? "list" : "list of " + tensor_type_name(tensors.front());
    }
    return std::string(plugin::to_string(static_cast<plugin::Element>(slot.element)));
}

// Returns the tokens of a sample as one text, or its string.
std::string sample_text(const TextBuffer& text, ptp_element element, std::uint64_t sample) {
    if (element == PTP_STRING) {
        return std::string(text.string(sample));
    }
    std::string joined;
    for (std::uint64_t i = text.rows[sample]; i < text.rows[sample + 1]; ++i) {
        joined += (i == text.rows[sample] ? "" : " ") + std::string(text.string(i));
    }
    return joined;
}

// Returns the sample's part of a tensor with a value for each sample, or the whole tensor.
at::Tensor sample_part(const Slot& slot, std::uint64_t sample) {
    if (slot.element == PTP_TENSOR_LIST) {
        return slot.list.tensors()[sample];
    }
    return slot.tensor.dim() == 0 ? slot.tensor : slot.tensor[static_cast<std::int64_t>(sample)];
}

}  // namespace

// By the formula of Chan, Golub and LeVeque for two sets of numbers.
void Spread::add(const Spread& other) {
    if (other.count == 0) {
        return;
    }
    const double own = static_cast<double>(count);
    const double others = static_cast<double>(other.count);
    const double distance = other.mean - mean;
    mean += distance * others / (own + others);
    squares += other.squares + distance * distance * own * others / (own + others);
    count += other.count;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
}

StreamTally::StreamTally(const pipeline::Stream& stream, const plugin::Port& port)
    : element_(static_cast<ptp_element>(stream.element)) {
    facts_.name = stream.name;
    facts_.port = port.name;
    facts_.are_targets = port.purpose == plugin::Purpose::kTargets;
    facts_.type = plugin::to_string(stream.element);
    facts_.is_text = element_ == PTP_STRING || element_ == PTP_TOKENS;
    facts_.has_one_value = element_ == PTP_STRING;
}

void StreamTally::add(const Slot& slot, std::uint64_t samples) {
    facts_.type = type_of(slot);
    if (facts_.is_text) {
        add_text(slot.text, samples);
    } else if (element_ == PTP_TENSOR_LIST) {
        for (const at::Tensor& tensor : slot.list.tensors()) {
            add_tensor(tensor, 0);
        }
    } else {
        facts_.has_one_value = slot.tensor.dim() == 1;
        add_tensor(slot.tensor, 1);
    }
}

void StreamTally::add_sizes(at::IntArrayRef sizes) {
    if (!has_sizes_) {
        least_sizes_ = most_sizes_ = sizes.vec();
        has_sizes_ = true;
    }
    for (std::size_t i = 0; i < std::min(sizes.size(), least_sizes_.size()); ++i) {
        least_sizes_[i] = std::min(least_sizes_[i], sizes[i]);
        most_sizes_[i] = std::max(most_sizes_[i], sizes[i]);
    }
}

void StreamTally::add_tensor(const at::Tensor& tensor, std::size_t first_sizes) {
    add_sizes(tensor.sizes().slice(std::min<std::size_t>(first_sizes, tensor.sizes().size())));
    if (element_ == PTP_INTEGER || element_ == PTP_BOOL) {
        const at::Tensor whole = tensor.to(at::kLong).contiguous();
        for (const std::int64_t value :
             std::span(whole.data_ptr<std::int64_t>(), static_cast<std::size_t>(whole.numel()))) {
            count(value);
        }
    }
    const at::Tensor numbers = tensor.to(at::kDouble).contiguous();
    const auto dims = static_cast<std::size_t>(tensor.dim());
    const bool is_image = dims == first_sizes + 3 && element_ != PTP_INTEGER;
    const std::int64_t channels = is_image ? tensor.sizes()[first_sizes] : 1;
    if (channels < 2 || channels > kMaxChannels) {
        facts_.spread.add(
            spread_of({numbers.data_ptr<double>(), 1, 0, numbers.numel()}, facts_.not_finite));
        return;
    }
    const std::int64_t samples = first_sizes == 0 ? 1 : tensor.sizes()[0];
    const std::int64_t plane = samples == 0 ? 0 : numbers.numel() / samples / channels;
    facts_.channels.resize(static_cast<std::size_t>(channels));
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        const Spread one = spread_of(
            {numbers.data_ptr<double>() + channel * plane, samples, channels * plane, plane},
            facts_.not_finite);
        facts_.channels[static_cast<std::size_t>(channel)].add(one);
        facts_.spread.add(one);
    }
}

void StreamTally::add_text(const TextBuffer& text, std::uint64_t samples) {
    for (std::uint64_t i = 0; i < samples; ++i) {
        const bool is_string = element_ == PTP_STRING;
        const auto length = static_cast<double>(is_string ? characters_in(text.string(i))
                                                          : text.rows[i + 1] - text.rows[i]);
        facts_.spread.add({.count = 1, .min = length, .max = length, .mean = length});
        if (is_string) {
            count(std::string(text.string(i)), 1);
        }
    }
}

void StreamTally::count(std::int64_t value) {
    if (!facts_.has_many_values) {
        ++integers_[value];
        facts_.has_many_values = integers_.size() > kMaxCountedValues;
    }
}

void StreamTally::count(const std::string& value, std::uint64_t times) {
    if (!facts_.has_many_values) {
        texts_[value] += times;
        facts_.has_many_values = texts_.size() > kMaxCountedValues;
    }
}

void StreamTally::merge(const StreamTally& later) {
    facts_.type = later.facts_.type;
    facts_.has_one_value = later.facts_.has_one_value;
    facts_.spread.add(later.facts_.spread);
    facts_.not_finite += later.facts_.not_finite;
    facts_.channels.resize(std::max(facts_.channels.size(), later.facts_.channels.size()));
    for (std::size_t i = 0; i < later.facts_.channels.size(); ++i) {
        facts_.channels[i].add(later.facts_.channels[i]);
    }
    if (later.has_sizes_) {
        add_sizes(later.least_sizes_);
        add_sizes(later.most_sizes_);
    }
    facts_.has_many_values = facts_.has_many_values || later.facts_.has_many_values;
    for (const auto& [value, times] : later.texts_) {
        count(value, times);
    }
    for (const auto& [value, times] : later.integers_) {
        integers_[value] += times;
    }
    facts_.has_many_values = facts_.has_many_values || integers_.size() > kMaxCountedValues;
}

StreamFacts StreamTally::facts() const {
    StreamFacts facts = facts_;
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < least_sizes_.size(); ++i) {
        sizes.push_back(least_sizes_[i] == most_sizes_[i]
                            ? fmt::format("{}", least_sizes_[i])
                            : fmt::format("{} to {}", least_sizes_[i], most_sizes_[i]));
    }
    facts.shape = facts.is_text ? "" : "[" + join(sizes, ", ") + "]";
    if (!facts.has_many_values) {
        for (const auto& [value, times] : integers_) {
            facts.values.push_back({fmt::format("{}", value), times});
        }
        for (const auto& [value, times] : texts_) {
            facts.values.push_back({value, times});
        }
    }
    return facts;
}

ShownValue shown_value(const Slot& slot, std::uint64_t sample) {
    if (slot.element == PTP_STRING || slot.element == PTP_TOKENS) {
        return {sample_text(slot.text, slot.element, sample)};
    }
    const at::Tensor part = sample_part(slot, sample).to(at::kFloat).contiguous();
    ShownValue value{"", part.sizes().vec()};
    if (part.numel() <= kMaxShownNumbers) {
        value.numbers.assign(part.data_ptr<float>(), part.data_ptr<float>() + part.numel());
    }
    return value;
}

void append_content(const Slot& slot, std::uint64_t sample, std::string& bytes) {
    if (slot.element == PTP_STRING || slot.element == PTP_TOKENS) {
        const std::string text = sample_text(slot.text, slot.element, sample);
        bytes += fmt::format("{}:", text.size()) + text;
        return;
    }
    const at::Tensor part = sample_part(slot, sample).contiguous();
    bytes += fmt::format("[{}]:", join(part.sizes(), ","));
    bytes.append(static_cast<const char*>(part.data_ptr()), part.nbytes());
}

}  // namespace ptp::engine

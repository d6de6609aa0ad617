#include "engine/data/draw.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ptp::engine {

WeightedDraw::WeightedDraw(std::vector<std::int64_t> samples, const std::vector<double>& weights)
    : samples_(std::move(samples)), sums_(weights.size()) {
    std::partial_sum(weights.begin(), weights.end(), sums_.begin());
}

std::vector<std::int64_t> WeightedDraw::order(std::uint64_t count, std::uint64_t key) const {
    std::vector<std::int64_t> drawn;
    drawn.reserve(count);
    Draws draws(key);
    for (std::uint64_t i = 0; i < count; ++i) {
        // The first sum above the number. A weight of 0 adds nothing, so it is never drawn.
        const auto sum =
            std::upper_bound(sums_.begin(), sums_.end(), draws.fraction() * sums_.back());
        drawn.push_back(samples_[static_cast<std::size_t>(sum - sums_.begin())]);
    }
    return drawn;
}

BalancedDraw::BalancedDraw(const std::vector<std::int64_t>& labels) {
    std::map<std::int64_t, std::vector<std::int64_t>> by_label;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        by_label[labels[i]].push_back(static_cast<std::int64_t>(i));
    }
    for (auto& [label, samples] : by_label) {
        classes_.push_back(std::move(samples));
    }
}

std::vector<std::int64_t> BalancedDraw::order(std::uint64_t count, std::uint64_t key) const {
    // The classes from which one more sample is drawn change with the key.
    std::vector<std::int64_t> turns(classes_.size());
    std::iota(turns.begin(), turns.end(), 0);
    shuffle(turns, derived(key, "classes"));
    std::vector<std::int64_t> drawn;
    drawn.reserve(count);
    for (std::size_t turn = 0; turn < turns.size(); ++turn) {
        const auto label = static_cast<std::uint64_t>(turns[turn]);
        std::vector<std::int64_t> samples = classes_[label];
        const std::uint64_t wanted = count / turns.size() + (turn < count % turns.size() ? 1 : 0);
        for (std::uint64_t i = 0; i < wanted; ++i) {
            const std::uint64_t place = i % samples.size();
            if (place == 0) {
                shuffle(samples, derived(derived(key, label), i));
            }
            drawn.push_back(samples[place]);
        }
    }
    shuffle(drawn, derived(key, "mix"));
    return drawn;
}

LengthGrouping::LengthGrouping(std::vector<std::int64_t> lengths, const Options& options)
    : lengths_(std::move(lengths)), options_(options) {}

std::vector<std::int64_t> LengthGrouping::order(std::vector<std::int64_t> samples,
                                                std::uint64_t key) const {
    const auto length = [this](std::int64_t sample) {
        return lengths_[static_cast<std::size_t>(sample)];
    };
    if (!options_.is_shuffled) {
        std::ranges::stable_sort(samples, {}, length);
        return samples;
    }
    shuffle(samples, key);
    const std::uint64_t batches = samples.size() / options_.batch_size;
    const auto at_batch = [&](std::uint64_t batch) {
        return samples.begin() + static_cast<std::ptrdiff_t>(batch * options_.batch_size);
    };
    for (std::uint64_t first = 0; first < batches;) {
        const std::uint64_t end = first + std::min(options_.pool, batches - first);
        std::ranges::stable_sort(at_batch(first), at_batch(end), {}, length);
        first = end;
    }
    std::vector<std::int64_t> turns(batches);
    std::iota(turns.begin(), turns.end(), 0);
    shuffle(turns, derived(key, "batches"));
    std::vector<std::int64_t> ordered;
    ordered.reserve(samples.size());
    for (const std::int64_t turn : turns) {
        const auto batch = static_cast<std::uint64_t>(turn);
        ordered.insert(ordered.end(), at_batch(batch), at_batch(batch + 1));
    }
    ordered.insert(ordered.end(), at_batch(batches), samples.end());
    return ordered;
}

}  // namespace ptp::engine

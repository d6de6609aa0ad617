#include "engine/data/sampler.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "engine/data/split.hpp"
#include "experiment/sampler_fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace ptp::engine {

namespace {

[[noreturn]] void refuse(const SourceLocation& place, const experiment::Section& section,
                         const std::string& rest) {
    const std::string text = place.text();
    throw RunError(kConfigurationError, fmt::format("{}{}{}.sampler{}", text,
                                                    text.empty() ? "" : ": ", section.name, rest));
}

// Returns the samples in their order, without repetitions.
std::vector<std::int64_t> without_repetitions(std::vector<std::int64_t> samples,
                                              std::int64_t task_size) {
    std::vector<bool> is_there(static_cast<std::size_t>(task_size), false);
    std::erase_if(samples, [&](std::int64_t sample) {
        const auto at = static_cast<std::size_t>(sample);
        const bool is_repeated = is_there[at];
        is_there[at] = true;
        return is_repeated;
    });
    return samples;
}

std::vector<std::int64_t> sampled_share(const experiment::Section& section,
                                        const experiment::Split& split, std::int64_t task_size,
                                        const std::vector<std::int64_t>& labels) {
    std::vector<std::int64_t> part = split_part(split, task_size, labels);
    if (part.empty()) {
        refuse(section.sampler->place, section,
               fmt::format(".share: [{}, {}] of the {} samples of {} is empty", split.share[0],
                           split.share[1], task_size, section.task.type));
    }
    return part;
}

std::vector<std::int64_t> chosen_samples(const experiment::Section& section, std::int64_t task_size,
                                         const std::vector<std::int64_t>& labels) {
    if (task_size == 0) {
        throw RunError(kDataError,
                       fmt::format("{}: {} ({}) has no samples", section.task.place.text(),
                                   section.task.path, section.task.type));
    }
    if (const auto problem = experiment::sampler_problem(section, task_size)) {
        const std::string place = problem->place.text();
        throw RunError(kConfigurationError,
                       fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", problem->key,
                                   problem->message));
    }
    if (section.sampler) {
        const experiment::Sampler& sampler = *section.sampler;
        if (const auto* folds = sampler.get<experiment::Folds>()) {
            return fold_part(*folds, task_size, labels);
        }
        if (const auto* split = sampler.get<experiment::Split>()) {
            return sampled_share(section, *split, task_size, labels);
        }
        if (const auto* subset = sampler.get<experiment::Subset>()) {
            return sampler.is_each_once ? without_repetitions(subset->expanded(), task_size)
                                        : subset->expanded();
        }
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(task_size));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

WeightedDraw weighted_draw(const experiment::Section& section, const SourceLocation& place,
                           const std::vector<double>& all,
                           const std::vector<std::int64_t>& population) {
    std::vector<double> weights;
    for (const std::int64_t index : population) {
        weights.push_back(all[static_cast<std::size_t>(index)]);
    }
    if (std::ranges::all_of(weights, [](double weight) { return weight == 0; })) {
        refuse(place, section, ".weights: all samples outside the fold have a weight of 0");
    }
    return {population, weights};
}

}  // namespace

Sampling::Sampling(const experiment::Section& section, std::int64_t task_size, std::uint64_t seed,
                   const SampleFacts& known)
    : population_(chosen_samples(section, task_size, known.labels)),
      is_shuffled_(section.sampler ? !section.sampler->is_in_order() : section.dataloader.shuffle),
      size_(population_.size()),
      order_key_(derived(derived(seed, "order"), section.name)),
      sample_key_(derived(derived(seed, "sample"), section.name)) {
    if (!section.sampler || section.sampler->is_in_order()) {
        return;
    }
    std::optional<std::int64_t> samples;
    if (const auto* options = section.sampler->get<experiment::Weights>()) {
        weighted_.emplace(
            weighted_draw(section, options->weights->place, known.weights, population_));
        samples = options->samples;
    }
    if (const auto* random = section.sampler->get<experiment::RandomSampler>()) {
        samples = random->samples;
        if (random->replacement) {
            weighted_.emplace(population_, std::vector<double>(population_.size(), 1.0));
        }
    }
    if (const auto* balanced = section.sampler->get<experiment::ClassBalancedSampler>()) {
        balanced_.emplace(known.labels);
        samples = balanced->samples;
    }
    if (const auto* by_length = section.sampler->get<experiment::Lengths>()) {
        grouped_.emplace(known.lengths,
                         LengthGrouping::Options{
                             .batch_size = static_cast<std::uint64_t>(section.task.batch_size),
                             .pool = static_cast<std::uint64_t>(by_length->pool),
                             .is_shuffled = by_length->shuffle});
    }
    if (samples) {
        size_ = static_cast<std::size_t>(*samples);
    }
}

std::vector<std::int64_t> Sampling::order(std::uint64_t epoch) const {
    const std::uint64_t key = derived(order_key_, epoch);
    if (weighted_) {
        return weighted_->order(size_, key);
    }
    if (balanced_) {
        return balanced_->order(size_, key);
    }
    if (grouped_) {
        return grouped_->order(population_, key);
    }
    std::vector<std::int64_t> indices = population_;
    if (is_shuffled_) {
        shuffle(indices, key);
    }
    indices.resize(size_);
    return indices;
}

std::uint64_t Sampling::sample_seed(std::uint64_t epoch, std::int64_t index) const {
    return derived(derived(sample_key_, epoch), static_cast<std::uint64_t>(index));
}

}  // namespace ptp::engine

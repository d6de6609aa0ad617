// The draws and orders of samples, each a function of a key alone.

#include "engine/data/sampler.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "engine/component/component_error.hpp"

#include <fmt/core.h>
#include <ptp/folds.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace ptp::engine {

namespace {

// Adds the split's part of samples that are in the order of the split.
void take(const experiment::Split& split, const std::vector<std::int64_t>& ordered, double shift,
          std::vector<std::int64_t>& part) {
    const auto count = std::ssize(ordered);
    part.insert(part.end(),
                ordered.begin() + experiment::samples_before(split.share[0], count, shift),
                ordered.begin() + experiment::samples_before(split.share[1], count, shift));
}

// Returns the samples of the part that `folds` names.
std::vector<std::int64_t> samples_of(const experiment::Folds& folds,
                                     const std::vector<std::int64_t>& fold_of) {
    std::vector<std::int64_t> samples;
    for (std::size_t sample = 0; sample < fold_of.size(); ++sample) {
        if ((fold_of[sample] == *folds.fold) == folds.is_in_order()) {
            samples.push_back(static_cast<std::int64_t>(sample));
        }
    }
    return samples;
}

[[noreturn]] void refuse(const SourceLocation& place, const experiment::Section& section,
                         const std::string& rest) {
    throw RunError(kConfigurationError,
                   fmt::format("{}{}.sampler{}", place_text(place), section.name, rest));
}

std::string problem_text(const experiment::SamplerProblem& problem) {
    return fmt::format("{}{}: {}", place_text(problem.place), problem.key, problem.message);
}

// Returns a warning, "" for none. Throws RunError for folds that do not fit the classes.
std::string checked_classes(const experiment::Section& section,
                            const std::vector<std::int64_t>& labels) {
    const auto problem = experiment::stratification_problem(section, labels);
    if (problem && !problem->is_warning) {
        throw RunError(kConfigurationError, problem_text(*problem));
    }
    return problem ? problem_text(*problem) : "";
}

// Returns the number of different samples among those for which is_drawn(place) is true.
template <class IsDrawn>
std::int64_t distinct_count(const std::vector<std::int64_t>& samples, const IsDrawn& is_drawn) {
    std::vector<bool> is_there(static_cast<std::size_t>(std::ranges::max(samples)) + 1, false);
    for (std::size_t place = 0; place < samples.size(); ++place) {
        if (is_drawn(place)) {
            is_there[static_cast<std::size_t>(samples[place])] = true;
        }
    }
    return std::ranges::count(is_there, true);
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
        throw RunError(kConfigurationError, problem_text(*problem));
    }
    if (section.sampler) {
        const experiment::Sampler& sampler = *section.sampler;
        if (const auto* grouped = sampler.get<experiment::KFoldGroupSampler>()) {
            checked_classes(section, labels);
            return group_part(*grouped, labels);
        }
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

std::vector<double> population_weights(const experiment::Section& section,
                                       const SourceLocation& place, const std::vector<double>& all,
                                       const std::vector<std::int64_t>& population) {
    std::vector<double> weights;
    for (const std::int64_t index : population) {
        weights.push_back(all[static_cast<std::size_t>(index)]);
    }
    if (std::ranges::all_of(weights, [](double weight) { return weight == 0; })) {
        refuse(place, section, ".weights: all samples outside the fold have a weight of 0");
    }
    return weights;
}

}  // namespace

std::vector<std::int64_t> weighted_order(const std::vector<std::int64_t>& samples,
                                         const std::vector<double>& weights, std::uint64_t count,
                                         std::uint64_t key) {
    assert(std::ranges::all_of(weights, [](double weight) { return weight >= 0; }));
    std::vector<double> sums(weights.size());
    std::partial_sum(weights.begin(), weights.end(), sums.begin());
    std::vector<std::int64_t> drawn;
    drawn.reserve(count);
    Draws draws(key);
    for (std::uint64_t i = 0; i < count; ++i) {
        // The first sum above the number. A weight of 0 adds nothing, so it is never drawn.
        const auto sum = std::upper_bound(sums.begin(), sums.end(), draws.fraction() * sums.back());
        drawn.push_back(samples[static_cast<std::size_t>(sum - sums.begin())]);
    }
    return drawn;
}

std::vector<std::int64_t> balanced_order(const std::vector<std::int64_t>& labels,
                                         std::uint64_t count, std::uint64_t key) {
    std::map<std::int64_t, std::vector<std::int64_t>> by_label;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        by_label[labels[i]].push_back(static_cast<std::int64_t>(i));
    }
    std::vector<std::vector<std::int64_t>> classes;  // in label order
    for (auto& [label, samples] : by_label) {
        classes.push_back(std::move(samples));
    }
    // The classes from which one more sample is drawn change with the key.
    std::vector<std::int64_t> turns(classes.size());
    std::iota(turns.begin(), turns.end(), 0);
    shuffle(turns, derived(key, "classes"));
    std::vector<std::int64_t> drawn;
    drawn.reserve(count);
    for (std::size_t turn = 0; turn < turns.size(); ++turn) {
        const auto label = static_cast<std::uint64_t>(turns[turn]);
        std::vector<std::int64_t>& samples = classes[label];
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

std::vector<std::int64_t> grouped_order(const LengthGrouping& grouping,
                                        std::vector<std::int64_t> samples, std::uint64_t key) {
    const auto length = [&](std::int64_t sample) {
        return grouping.lengths[static_cast<std::size_t>(sample)];
    };
    if (!grouping.is_shuffled) {
        std::ranges::stable_sort(samples, {}, length);
        return samples;
    }
    shuffle(samples, key);
    const std::uint64_t batches = samples.size() / grouping.batch_size;
    const auto at_batch = [&](std::uint64_t batch) {
        return samples.begin() + static_cast<std::ptrdiff_t>(batch * grouping.batch_size);
    };
    for (std::uint64_t first = 0; first < batches;) {
        const std::uint64_t end = first + std::min(grouping.pool, batches - first);
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

std::vector<std::int64_t> split_part(const experiment::Split& split, std::int64_t count,
                                     const std::vector<std::int64_t>& labels) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, derived(static_cast<std::uint64_t>(split.seed), "split"));
    std::vector<std::int64_t> part;
    if (labels.empty()) {
        take(split, order, experiment::kToTheNearest, part);
    } else {
        std::map<std::int64_t, std::vector<std::int64_t>> classes;
        for (const std::int64_t sample : order) {
            classes[labels[static_cast<std::size_t>(sample)]].push_back(sample);
        }
        // With one shift for all, small classes of one size would all be cut on the same side.
        // These shifts are spread evenly, so that the share of all samples is nearly right too.
        constexpr double kGoldenRatio = 0.6180339887498949;
        double shift = 0.5;
        for (const auto& [label, samples] : classes) {
            take(split, samples, shift, part);
            shift = std::fmod(shift + kGoldenRatio, 1.0);
        }
    }
    std::sort(part.begin(), part.end());
    return part;
}

std::vector<std::int64_t> fold_part(const experiment::Folds& folds, std::int64_t count,
                                    const std::vector<std::int64_t>& labels) {
    assert(folds.fold && folds.folds >= 2 && count >= folds.folds);
    const FoldCut cut{.folds = *folds.folds, .seed = folds.fold_seed};
    return samples_of(folds, labels.empty() ? fold_of_each(static_cast<std::size_t>(count), cut)
                                            : fold_of_each_by_class(labels, cut));
}

std::vector<std::int64_t> group_part(const experiment::Folds& folds,
                                     const std::vector<std::int64_t>& groups) {
    return samples_of(
        folds, fold_of_each_by_group(groups, {.folds = *folds.folds, .seed = folds.fold_seed}));
}

Sampling::Sampling(const experiment::Section& section, std::int64_t task_size, std::uint64_t seed,
                   const SampleFacts& known)
    : population_(chosen_samples(section, task_size, known.labels)),
      warning_(checked_classes(section, known.labels)),
      is_shuffled_(section.sampler ? !section.sampler->is_in_order() : section.dataloader.shuffle),
      size_(population_.size()),
      order_key_(derived(derived(seed, "order"), section.name)),
      sample_key_(derived(derived(seed, "sample"), section.name)) {
    if (!section.sampler || section.sampler->is_in_order()) {
        return;
    }
    std::optional<std::int64_t> samples;
    if (const auto* options = section.sampler->get<experiment::Weights>()) {
        weights_ = population_weights(section, options->weights->place, known.weights, population_);
        samples = options->samples;
    }
    if (const auto* random = section.sampler->get<experiment::RandomSampler>()) {
        samples = random->samples;
        if (random->replacement) {
            weights_.assign(population_.size(), 1.0);
        }
    }
    if (const auto* balanced = section.sampler->get<experiment::ClassBalancedSampler>()) {
        labels_ = known.labels;
        samples = balanced->samples;
    }
    if (const auto* by_length = section.sampler->get<experiment::Lengths>()) {
        grouped_ = {.lengths = known.lengths,
                    .batch_size = static_cast<std::uint64_t>(section.task.batch_size),
                    .pool = static_cast<std::uint64_t>(by_length->pool),
                    .is_shuffled = by_length->shuffle};
    }
    if (samples) {
        size_ = static_cast<std::size_t>(*samples);
    }
}

std::vector<std::int64_t> Sampling::order(std::uint64_t epoch) const {
    const std::uint64_t key = derived(order_key_, epoch);
    if (!weights_.empty()) {
        return weighted_order(population_, weights_, size_, key);
    }
    if (!labels_.empty()) {
        return balanced_order(labels_, size_, key);
    }
    if (grouped_) {
        return grouped_order(*grouped_, population_, key);
    }
    std::vector<std::int64_t> indices = population_;
    if (is_shuffled_) {
        shuffle(indices, key);
    }
    indices.resize(size_);
    return indices;
}

std::int64_t Sampling::drawable_count(std::uint64_t count) const {
    const bool is_always_the_same = weights_.empty() && labels_.empty() && !is_shuffled_;
    if (is_always_the_same) {
        return distinct_count(order(0), [&](std::size_t place) { return place < count; });
    }
    return distinct_count(
        population_, [&](std::size_t place) { return weights_.empty() || weights_[place] > 0; });
}

std::uint64_t Sampling::sample_seed(std::uint64_t epoch, std::int64_t index) const {
    return derived(derived(sample_key_, epoch), static_cast<std::uint64_t>(index));
}

}  // namespace ptp::engine

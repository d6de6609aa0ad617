#include "engine/data/sampler.hpp"

#include "engine/data/random.hpp"
#include "engine/error.hpp"

#include <fmt/core.h>

#include <numeric>

namespace ptp::engine {

namespace {

std::vector<std::int64_t> chosen_samples(const config::Section& section, std::int64_t task_size) {
    if (task_size == 0) {
        throw RunError(kDataError,
                       fmt::format("{}: {} ({}) has no samples", section.task.place.text(),
                                   section.task.path, section.task.type));
    }
    if (!section.sampler || !section.sampler->indices) {
        std::vector<std::int64_t> all(static_cast<std::size_t>(task_size));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    const config::Indices& indices = *section.sampler->indices;
    if (indices.largest() >= task_size) {
        throw RunError(
            kConfigurationError,
            fmt::format("{}: {}.sampler.indices: there is no sample {}; {} has {}, from 0 to {}",
                        indices.place.text(), section.name, indices.largest(), section.task.type,
                        task_size, task_size - 1));
    }
    return indices.expanded();
}

}  // namespace

Sampling::Sampling(const config::Section& section, std::int64_t task_size, std::uint64_t seed)
    : indices_(chosen_samples(section, task_size)),
      is_random_(section.sampler ? section.sampler->is_random() : section.dataloader.shuffle),
      order_key_(derived(derived(seed, "order"), section.name)),
      sample_key_(derived(derived(seed, "sample"), section.name)) {}

std::vector<std::int64_t> Sampling::order(std::uint64_t epoch) const {
    std::vector<std::int64_t> indices = indices_;
    if (is_random_) {
        shuffle(indices, derived(order_key_, epoch));
    }
    return indices;
}

std::uint64_t Sampling::sample_seed(std::uint64_t epoch, std::int64_t index) const {
    return derived(derived(sample_key_, epoch), static_cast<std::uint64_t>(index));
}

}  // namespace ptp::engine

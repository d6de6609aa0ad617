// The samples of an epoch and their order, which depend on the run's seed, the section and the
// epoch.

#pragma once

#include "engine/data/draw.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Properties of each sample of the task, if the sampler needs them: see sample_labels() and the
// like. Otherwise empty.
struct SampleFacts {
    std::vector<std::int64_t> labels = {};
    std::vector<double> weights = {};
    std::vector<std::int64_t> lengths = {};
};

class Sampling {
public:
    // Throws RunError with kConfigurationError if the section's sampler does not fit a task of
    // `task_size`, with kDataError if there is no sample.
    Sampling(const experiment::Section& section, std::int64_t task_size, std::uint64_t seed,
             const SampleFacts& known = {});

    [[nodiscard]] std::vector<std::int64_t> order(std::uint64_t epoch) const;

    // Returns the seed of all randomness of a sample.
    [[nodiscard]] std::uint64_t sample_seed(std::uint64_t epoch, std::int64_t index) const;

    // Returns the number of samples in an epoch.
    [[nodiscard]] std::size_t size() const { return size_; }

    // Returns whether every epoch has the same samples in the same order.
    bool operator==(const Sampling&) const = default;

private:
    std::vector<std::int64_t> population_;  // the samples that may be drawn
    bool is_shuffled_;
    std::optional<WeightedDraw> weighted_;
    std::optional<BalancedDraw> balanced_;
    std::optional<LengthGrouping> grouped_;
    std::size_t size_;
    std::uint64_t order_key_;
    std::uint64_t sample_key_;
};

}  // namespace ptp::engine

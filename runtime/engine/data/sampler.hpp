// Which samples an epoch sees, and in which order: a function of the run's seed, the section and
// the epoch.

#pragma once

#include "config/experiment.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

class Sampling {
public:
    // Throws RunError with kConfigurationError when the section asks for samples that a task of
    // `task_size` does not have, or when there is no sample.
    Sampling(const config::Section& section, std::int64_t task_size, std::uint64_t seed);

    [[nodiscard]] std::vector<std::int64_t> order(std::uint64_t epoch) const;

    // The seed of all that is random about a sample.
    [[nodiscard]] std::uint64_t sample_seed(std::uint64_t epoch, std::int64_t index) const;

    // Samples in an epoch.
    [[nodiscard]] std::size_t size() const { return indices_.size(); }

private:
    std::vector<std::int64_t> indices_;
    bool is_random_;
    std::uint64_t order_key_;
    std::uint64_t sample_key_;
};

}  // namespace ptp::engine

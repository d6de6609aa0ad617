// The check that a section's sampler fits the number of samples of its task.

#pragma once

#include "base/source_location.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::experiment {

struct SamplerProblem {
    SourceLocation place;
    std::string key;  // "training.sampler.indices"
    std::string message;
};

// The most samples that can be put in an order, which takes 8 bytes for each.
inline constexpr std::int64_t kMaxSamples = 10'000'000'000;

// nullopt if it fits; also where there is no sampler. REQUIRES: task_size > 0.
std::optional<SamplerProblem> sampler_problem(const Section& section, std::int64_t task_size);

// Returns how many of `count` samples come before a share of them. `shift` in [0, 1) decides to
// which side a sample goes that the share cuts. Shares that meet get the same number.
inline constexpr double kToTheNearest = 0.5;
std::int64_t samples_before(double share, std::int64_t count, double shift = kToTheNearest);

}  // namespace ptp::experiment

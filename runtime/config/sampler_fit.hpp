// Whether a section's sampler fits to the number of samples of its task.

#pragma once

#include "config/experiment.hpp"
#include "config/place.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::config {

struct SamplerProblem {
    Place place;
    std::string key;  // "training.sampler.indices"
    std::string message;
};

// nullopt if it fits. REQUIRES: task_size > 0.
std::optional<SamplerProblem> sampler_problem(const Section& section, std::int64_t task_size);

}  // namespace ptp::config

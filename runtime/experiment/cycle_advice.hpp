// A learning rate that goes through one cycle must know how long the training is.

#pragma once

#include "experiment/experiment.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::experiment {

// The warning about `total_episodes` in training.scheduler, where the limits of the training
// let it end before the cycle or continue after it; nullopt if nothing, or if it cannot be known
// without the number of episodes in an epoch.
std::optional<std::string> cycle_advice(const Training& training,
                                        std::optional<std::int64_t> episodes_per_epoch = {});

}  // namespace ptp::experiment

// Advice on a learning rate of one cycle, which depends on the length of the training.

#pragma once

#include "experiment/experiment.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::experiment {

// Returns the warning about `total_episodes` in training.scheduler if the limits of the training
// let it end before the cycle or continue after it; nullopt if there is none, or if this depends on
// the unknown number of episodes in an epoch.
std::optional<std::string> cycle_advice(const Training& training,
                                        std::optional<std::int64_t> episodes_per_epoch = {});

}  // namespace ptp::experiment

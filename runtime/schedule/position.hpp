#pragma once

#include <cstdint>

namespace ptp::schedule {

// The position of a training, from which a schedule computes the learning rate. All count from 0.
struct Position {
    std::uint64_t episode = 0;  // since the training began
    std::uint64_t epoch = 0;
    std::uint64_t batch = 0;        // of the epoch
    double episodes_per_epoch = 1;  // of the training set
    double total_episodes = 0;      // that the limits of the training allow
};

}  // namespace ptp::schedule

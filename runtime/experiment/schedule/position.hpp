#pragma once

#include <cstdint>

namespace ptp::schedule {

// The position of a training, from which a schedule computes the learning rate. All counts start at
// 0 at the begin of the schedule: the start of the training, or a change by `resume --set`.
struct Position {
    std::uint64_t episode = 0;
    std::uint64_t epoch = 0;        // 0 is the epoch in which the schedule begins
    std::uint64_t batch = 0;        // within the training's epoch
    double epochs_done = 0;         // including the finished part of the epoch
    double episodes_per_epoch = 1;  // of the training set
    double total_episodes = 0;      // from the begin of the schedule to the limits of the training
};

}  // namespace ptp::schedule

#pragma once

#include <cstdint>

namespace ptp::schedule {

// The position of a training, from which a schedule computes the learning rate. All count from 0,
// from where the schedule begins: the start of the training, or where `resume --set` has changed
// it.
struct Position {
    std::uint64_t episode = 0;
    std::uint64_t epoch = 0;        // the one in which the schedule begins is 0
    std::uint64_t batch = 0;        // of the training's epoch
    double epochs_done = 0;         // with the part of the epoch that is done
    double episodes_per_epoch = 1;  // of the training set
    double total_episodes = 0;      // from there on, that the limits of the training allow
};

}  // namespace ptp::schedule

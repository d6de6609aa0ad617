// [checkpoint]: when a run saves its state, and how many checkpoints are kept.

#pragma once

#include "base/duration.hpp"

#include <cstdint>
#include <optional>

namespace ptp::experiment {

struct Checkpointing {
    // The number of epochs between checkpoints; 0: none at the end of an epoch. Absent: at the end
    // of each epoch that is 30 s or more after the last checkpoint.
    std::optional<std::int64_t> every_epochs;
    std::int64_t every_episodes =
        0;                   // additional to those at the ends of epochs; 0: none by number
    Duration every = {600};  // additional too, at the end of the first episode after it
    std::int64_t keep = 2;   // the newest ones; those named last and best are always kept
};

}  // namespace ptp::experiment

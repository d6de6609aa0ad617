// [checkpoint]: when a run saves what it needs to continue, and how much of it is kept.

#pragma once

#include "base/duration.hpp"

#include <cstdint>
#include <optional>

namespace ptp::experiment {

struct Checkpointing {
    // Epochs from one to the next; 0: none at the end of an epoch. Absent: the end of each epoch
    // that is 30 s or more after the last checkpoint.
    std::optional<std::int64_t> every_epochs;
    std::int64_t every_episodes =
        0;                   // besides those at the ends of epochs; 0: none by their number
    Duration every = {600};  // likewise, at the first end of an episode after it
    std::int64_t keep = 2;   // the newest ones; those named last and best stay anyway
};

}  // namespace ptp::experiment

// [checkpoint]: when a run saves what it needs to continue, and how much of it is kept.

#pragma once

#include "base/duration.hpp"

#include <cstdint>

namespace ptp::experiment {

struct Checkpointing {
    std::int64_t every_episodes = 0;  // besides the end of each epoch; 0: not by their number
    Duration every = {600};           // likewise, at the first end of an episode after it
    std::int64_t keep = 2;            // the newest ones; those named last and best stay anyway
};

}  // namespace ptp::experiment

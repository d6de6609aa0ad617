// The position of a training.
#pragma once

#include <cstdint>

namespace ptp::engine {

// The next episode. All members count from 0.
struct TrainingPosition {
    std::uint64_t episode = 0;  // since the start of the training
    std::uint64_t epoch = 0;
    std::uint64_t batch = 0;  // in the epoch
};

}  // namespace ptp::engine

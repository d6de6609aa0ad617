// Where a training is.
#pragma once

#include <cstdint>

namespace ptp::engine {

// The episode that comes next. All count from 0.
struct TrainingPosition {
    std::uint64_t episode = 0;  // since the training began
    std::uint64_t epoch = 0;
    std::uint64_t batch = 0;  // of the epoch
};

}  // namespace ptp::engine

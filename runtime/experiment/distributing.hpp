// [distributed]: how several processes train together.

#pragma once

#include "base/duration.hpp"

#include <cstdint>

namespace ptp::experiment {

// The combination of the buffers of components, such as the means of a batch normalization, which
// each process computes on its share of a batch.
enum class SharedBuffers : std::int32_t {
    kFirst,        // all use those of the first process
    kMean,         // all use the mean, weighted by the samples
    kOwn,          // each keeps its own
    kSynchronized  // batch normalization is over the whole batch; others as kFirst
};

struct Distributing {
    SharedBuffers buffers = SharedBuffers::kFirst;
    bool is_compressed = false;          // gradients are sent as bfloat16
    bool has_sharded_optimizer = false;  // each process keeps the state of its share of parameters
    Duration timeout = {60};             // a process that does not answer for longer counts as lost
};

}  // namespace ptp::experiment

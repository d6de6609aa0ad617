// Max-pooling of windows of 2 x 2 that do not overlap, on plain memory. Which number of a window
// wins, and every bit, is as libtorch has it: the first of equal numbers, and the last nan if there
// is one.
#pragma once

#include <cstdint>

namespace ptp::support {

// [planes, height, width]; what is pooled is [planes, height / 2, width / 2], rounded down.
struct MapSizes {
    std::int64_t planes;
    std::int64_t height;
    std::int64_t width;
};

enum class Before { kNothing, kRelu };  // what is done to each number first

// On libtorch's threads where there is enough to do.
void pool(const float* maps, float* pooled, const MapSizes& sizes, Before before);
void pool(const double* maps, double* pooled, const MapSizes& sizes, Before before);

// Writes all of `map_gradients`; `gradients` are those of what was pooled.
void pool_backward(const float* maps, const float* gradients, float* map_gradients,
                   const MapSizes& sizes, Before before);
void pool_backward(const double* maps, const double* gradients, double* map_gradients,
                   const MapSizes& sizes, Before before);

}  // namespace ptp::support

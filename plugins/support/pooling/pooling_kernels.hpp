// Max-pooling of windows of 2 x 2 that do not overlap, on plain memory. The winning number of a
// window, and every bit, is as in libtorch: the first of equal numbers, and the last nan if there
// is one.
#pragma once

#include <cstdint>

namespace ptp::support {

// The sizes [planes, height, width]; the pooled maps are [planes, height / 2, width / 2], rounded
// down.
struct MapSizes {
    std::int64_t planes;
    std::int64_t height;
    std::int64_t width;
};

enum class Before { kNothing, kRelu };  // function applied to each number first

// Pool on libtorch's threads if there is enough work.
void pool(const float* maps, float* pooled, const MapSizes& sizes, Before before);
void pool(const double* maps, double* pooled, const MapSizes& sizes, Before before);

// Write all of `map_gradients`; `gradients` are those of the pooled maps.
void pool_backward(const float* maps, const float* gradients, float* map_gradients,
                   const MapSizes& sizes, Before before);
void pool_backward(const double* maps, const double* gradients, double* map_gradients,
                   const MapSizes& sizes, Before before);

}  // namespace ptp::support

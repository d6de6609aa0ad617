// How a batch is cut up among the processes that train together: each has a contiguous part, in the
// order of their ranks, and the sizes differ by at most one.

#pragma once

#include <algorithm>
#include <cstdint>

namespace ptp::engine {

struct BatchPart {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

// Of a batch of `size` samples. The first ranks have one more where it cannot be divided, so that
// rank 0 has a sample wherever there is one. REQUIRES: rank < ranks.
constexpr BatchPart share_of(std::uint64_t size, std::uint64_t rank, std::uint64_t ranks) {
    const std::uint64_t least = size / ranks;
    const std::uint64_t larger = size % ranks;
    return {rank * least + std::min(rank, larger), least + (rank < larger ? 1 : 0)};
}

}  // namespace ptp::engine

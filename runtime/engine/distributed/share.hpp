// Cuts a batch among the processes that train together: each has a contiguous part, in the order of
// their ranks, and the sizes differ by at most one.
//
// If each must have at least two samples, because a batch normalization refuses a single one, fewer
// ranks share a small batch.

#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace ptp::engine {

struct BatchPart {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

// Returns a rank's part of a batch of `size` samples. The first ranks have one more if it is not
// divisible, so that rank 0 has a sample if there is one. Each rank that has a part has at least
// `least` samples, unless that of rank 0, the only one, is smaller.
constexpr BatchPart share_of(std::uint64_t size, std::uint64_t rank, std::uint64_t ranks,
                             std::uint64_t least = 1) {
    assert(rank < ranks);
    const std::uint64_t sharing =
        least == 1 ? ranks : std::clamp<std::uint64_t>(size / least, 1, ranks);
    if (rank >= sharing) {
        return {size, 0};
    }
    const std::uint64_t each = size / sharing;
    const std::uint64_t larger = size % sharing;
    return {rank * each + std::min(rank, larger), each + (rank < larger ? 1 : 0)};
}

}  // namespace ptp::engine

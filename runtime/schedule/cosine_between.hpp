#pragma once

#include <cmath>
#include <numbers>

namespace ptp::schedule {

// From `start` to `end` while `part` goes from 0 to 1, along half a cosine.
inline double cosine_between(double start, double end, double part) {
    return end + (start - end) / 2 * (1 + std::cos(std::numbers::pi * part));
}

}  // namespace ptp::schedule

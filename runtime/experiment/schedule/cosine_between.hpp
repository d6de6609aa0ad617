#pragma once

#include <cmath>
#include <numbers>

namespace ptp::schedule {

// Interpolates along half a cosine: returns `start` for `part` 0 and `end` for `part` 1.
inline double cosine_between(double start, double end, double part) {
    return end + (start - end) / 2 * (1 + std::cos(std::numbers::pi * part));
}

}  // namespace ptp::schedule

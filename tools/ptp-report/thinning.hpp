// Thins a curve so that it looks the same: the first, smallest, largest and last point of each
// bucket (M4 of Jugel et al., 2014), and the means of the buckets.
#pragma once

#include <cstddef>
#include <vector>

namespace ptp::report {

struct ThinCurve {
    std::vector<std::size_t> rows;       // of the points that are kept, ascending
    std::vector<std::size_t> mean_rows;  // the middles of the buckets; empty: nothing was left out
    std::vector<double> means;           // of the finite numbers; nan where there are none
};

// Keeps a curve of at most four points a bucket as it is.
ThinCurve thinned(const std::vector<double>& values, std::size_t buckets);

}  // namespace ptp::report

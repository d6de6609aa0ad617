// Curves that are thinned so that they look the same.

#include "ptp-report/thinning.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace thinning_test {

using ptp::report::ThinCurve;
using ptp::report::thinned;

TEST_CASE("thinned: a curve of four points a bucket is kept as it is") {
    const ThinCurve curve = thinned({3, 1, 4, 1}, 1);
    CHECK(curve.rows == std::vector<std::size_t>{0, 1, 2, 3});
    CHECK(curve.means.empty());
    CHECK(thinned({}, 1).rows.empty());
}

TEST_CASE("thinned: a bucket keeps its first, smallest, largest and last point, and its mean") {
    const ThinCurve curve = thinned({5, 9, 5, 1, 5, 2, 2, 2, 2, 2}, 2);
    CHECK(curve.rows == std::vector<std::size_t>{0, 1, 3, 4, 5, 9});
    CHECK(curve.mean_rows == std::vector<std::size_t>{2, 7});
    CHECK(curve.means == std::vector<double>{5, 2});
}

TEST_CASE("thinned: nan is neither the smallest nor the largest, and in no mean") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const ThinCurve curve = thinned({nan, 2, nan, 4, nan, nan, nan, nan, nan, nan}, 2);
    CHECK(curve.rows == std::vector<std::size_t>{0, 1, 3, 4, 5, 9});
    CHECK(curve.means[0] == 3);
    CHECK(std::isnan(curve.means[1]));
}

}  // namespace thinning_test

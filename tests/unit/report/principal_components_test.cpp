// Vectors whose principal components are known.

#include "ptp-report/principal_components.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace principal_components_test {

using ptp::report::principal_components;
using ptp::report::PrincipalComponents;

TEST_CASE("principal components: points of an ellipse have its axes") {
    // 5 + (3, 4) / 5 * a and (-4, 3) / 5 * b, of a = +-10 and b = +-1: variances 200 and 2.
    const std::vector<float> points = {11, 13, -1, -3, 4.2F, 5.6F, 5.8F, 4.4F};
    const PrincipalComponents found = principal_components(points, 2);
    const std::vector<double> x = {10, -10, 0, 0};
    const std::vector<double> y = {0, 0, -1, 1};
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(found.x[i] == doctest::Approx(x[i]).epsilon(1e-5));
        CHECK(found.y[i] == doctest::Approx(y[i]).epsilon(1e-5));
    }
    CHECK(found.x_share == doctest::Approx(200.0 / 202));
    CHECK(found.y_share == doctest::Approx(2.0 / 202));
}

TEST_CASE("principal components: equal vectors, nan and nothing have no variance") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(principal_components(std::vector<float>{1, 2, 1, 2}, 2).x == std::vector<double>{0, 0});
    CHECK(principal_components(std::vector<float>{nan, nan}, 1).x_share == 0);
    CHECK(principal_components({}, 3).x.empty());
}

}  // namespace principal_components_test

// The principal components of vectors, by which many dimensions are shown in two.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ptp::report {

struct PrincipalComponents {
    std::vector<double> x = {};  // of each vector, along the direction of the largest variance
    std::vector<double> y = {};  // along that of the largest variance that is left
    double x_share = 0;          // of the variance
    double y_share = 0;
};

// Takes rows of `width` numbers each. A row with a number that is not finite counts as the mean.
// The sign of a direction is that for which its largest coordinate is positive.
PrincipalComponents principal_components(std::span<const float> numbers, std::size_t width);

}  // namespace ptp::report

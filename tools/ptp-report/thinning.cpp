// Thins curves, see thinning.hpp.

#include "ptp-report/thinning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace ptp::report {

namespace {

constexpr std::size_t kPointsOfBucket = 4;

void add_bucket(ThinCurve& curve, const std::vector<double>& values, std::size_t begin,
                std::size_t end) {
    std::size_t smallest = begin;
    std::size_t largest = begin;
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t row = begin; row < end; ++row) {
        if (!std::isfinite(values[row])) {
            continue;
        }
        if (count == 0 || values[row] < values[smallest]) {
            smallest = row;
        }
        if (count == 0 || values[row] > values[largest]) {
            largest = row;
        }
        sum += values[row];
        ++count;
    }
    std::array<std::size_t, kPointsOfBucket> rows = {begin, smallest, largest, end - 1};
    std::ranges::sort(rows);
    const auto repeated = std::ranges::unique(rows);
    curve.rows.insert(curve.rows.end(), rows.begin(), repeated.begin());
    curve.mean_rows.push_back(begin + (end - begin) / 2);
    curve.means.push_back(count == 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : sum / static_cast<double>(count));
}

}  // namespace

ThinCurve thinned(const std::vector<double>& values, std::size_t buckets) {
    ThinCurve curve;
    if (values.size() <= kPointsOfBucket * buckets) {
        curve.rows.resize(values.size());
        std::iota(curve.rows.begin(), curve.rows.end(), std::size_t{0});
        return curve;
    }
    for (std::size_t i = 0; i < buckets; ++i) {
        add_bucket(curve, values, i * values.size() / buckets, (i + 1) * values.size() / buckets);
    }
    return curve;
}

}  // namespace ptp::report

#include "engine/output/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ptp::engine {

namespace {

constexpr double kSmallest = 1e-12;
constexpr double kMax = 1e20;
constexpr double kGrowth = 1.1;

std::vector<double> make_limits() {
    std::vector<double> above;
    for (double limit = kSmallest; limit < kMax; limit *= kGrowth) {
        above.push_back(limit);
    }
    std::vector<double> limits = {-std::numeric_limits<double>::max()};
    for (auto limit = above.rbegin(); limit != above.rend(); ++limit) {
        limits.push_back(-*limit);
    }
    limits.push_back(0);
    limits.insert(limits.end(), above.begin(), above.end());
    limits.push_back(std::numeric_limits<double>::max());
    return limits;
}

void add_buckets(Histogram& histogram, const std::vector<double>& limits,
                 const std::vector<double>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0 && !histogram.counts.empty() && histogram.counts.back() == 0) {
            histogram.limits.back() = limits[i];
            continue;
        }
        histogram.limits.push_back(limits[i]);
        histogram.counts.push_back(counts[i]);
    }
}

}  // namespace

Histogram histogram_of(const at::Tensor& tensor) {
    static const std::vector<double> limits = make_limits();
    const at::Tensor numbers = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
    const double* const begin = numbers.data_ptr<double>();
    Histogram histogram;
    std::vector<double> counts(limits.size());
    for (const double* number = begin; number != begin + numbers.numel(); ++number) {
        if (!std::isfinite(*number)) {
            continue;
        }
        histogram.minimum = histogram.count == 0 ? *number : std::min(histogram.minimum, *number);
        histogram.maximum = histogram.count == 0 ? *number : std::max(histogram.maximum, *number);
        histogram.count += 1;
        histogram.sum += *number;
        histogram.squares += *number * *number;
        const auto bucket = std::upper_bound(limits.begin(), limits.end() - 1, *number);
        counts[static_cast<std::size_t>(bucket - limits.begin())] += 1;
    }
    add_buckets(histogram, limits, counts);
    return histogram;
}

}  // namespace ptp::engine

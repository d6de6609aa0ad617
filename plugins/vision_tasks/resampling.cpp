#include "resampling.hpp"

#include <algorithm>
#include <cmath>

Resampling::Resampling(ImageSize from, ImageSize to)
    : from_(from),
      to_(to),
      rows_(taps(from.height, to.height)),
      columns_(taps(from.width, to.width)) {}

void Resampling::apply(const float* from, float* to) const {
    std::vector<float> narrow(static_cast<size_t>(from_.height * to_.width));
    for (int64_t row = 0; row < from_.height; ++row) {
        for (int64_t column = 0; column < to_.width; ++column) {
            const Tap& tap = columns_[static_cast<size_t>(column)];
            const float* pixels = from + row * from_.width + tap.first;
            float sum = 0;
            for (const float weight : tap.weights) {
                sum += weight * *pixels++;
            }
            narrow[static_cast<size_t>(row * to_.width + column)] = sum;
        }
    }
    std::fill_n(to, to_.height * to_.width, 0.0f);
    for (int64_t row = 0; row < to_.height; ++row) {
        const Tap& tap = rows_[static_cast<size_t>(row)];
        const float* pixels = narrow.data() + tap.first * to_.width;
        for (const float weight : tap.weights) {
            for (int64_t column = 0; column < to_.width; ++column) {
                to[row * to_.width + column] += weight * *pixels++;
            }
        }
    }
}

std::vector<Resampling::Tap> Resampling::taps(int64_t from, int64_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double reach = std::max(scale, 1.0);
    std::vector<Tap> result;
    for (int64_t i = 0; i < to; ++i) {
        const double center = (static_cast<double>(i) + 0.5) * scale;
        const auto first = std::max<int64_t>(std::llround(std::floor(center - reach + 0.5)), 0);
        const auto end = std::min<int64_t>(std::llround(std::floor(center + reach + 0.5)), from);
        std::vector<double> weights;
        double total = 0;
        for (int64_t pixel = first; pixel < end; ++pixel) {
            const double distance = std::abs(static_cast<double>(pixel) + 0.5 - center) / reach;
            weights.push_back(std::max(1.0 - distance, 0.0));
            total += weights.back();
        }
        Tap tap{first, {}};
        for (const double weight : weights) {
            tap.weights.push_back(static_cast<float>(weight / total));
        }
        result.push_back(std::move(tap));
    }
    return result;
}

// Learns the mean and the deviation of numbers, and judges their scale.

#include "mean_deviation.hpp"

#include <ptp/error.hpp>

#include <array>
#include <cmath>
#include <cstdio>

namespace ptp::support {

namespace {

// A network predicts about 0 at first, and an optimizer such as Adam moves a weight by its learning
// rate in a step: numbers beyond this are only reached after many epochs.
constexpr double kFar = 20;
constexpr double kFine = 0.01;  // smaller deviations are lost in the first predictions

std::string rounded(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", number);
    return text.data();
}

}  // namespace

MeanDeviation mean_deviation(std::span<const double> numbers, std::size_t first, std::size_t step) {
    if (first >= numbers.size()) {
        return {};
    }
    double sum = 0;
    size_t count = 0;
    bool is_constant = true;
    for (size_t i = first; i < numbers.size(); i += step) {
        sum += numbers[i];
        ++count;
        is_constant = is_constant && numbers[i] == numbers[first];
    }
    if (is_constant) {
        return {numbers[first], 1, true};
    }
    const double mean = sum / static_cast<double>(count);
    double squares = 0;
    for (size_t i = first; i < numbers.size(); i += step) {
        squares += (numbers[i] - mean) * (numbers[i] - mean);
    }
    const double deviation = std::sqrt(squares / static_cast<double>(count));
    return {mean, deviation > 0 ? deviation : 1, false};
}

std::string warning_of_scale(const std::string& column, const MeanDeviation& numbers,
                             const std::string& advice) {
    if (std::abs(numbers.mean) <= kFar && numbers.deviation <= kFar && numbers.deviation >= kFine) {
        return "";
    }
    return detail::join("the column '", column, "' has numbers around ", rounded(numbers.mean),
                        " with a deviation of ", rounded(numbers.deviation),
                        ", and a network begins with predictions around 0: it may learn nothing "
                        "for many epochs; ",
                        advice,
                        ": errors and predictions are shown in the unit of the column all the "
                        "same");
}

}  // namespace ptp::support

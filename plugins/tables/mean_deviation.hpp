// The mean and the deviation of the numbers of a column.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

struct MeanDeviation {
    double mean = 0;
    double deviation = 1;  // over the count; 1 where all numbers are equal
    bool is_constant = false;
};

// Returns those of each `step`-th of the numbers from `first` on; of no numbers 0 and 1. A sum of
// equal numbers may be rounded, so that their mean differs from them: they are compared before.
inline MeanDeviation mean_deviation(std::span<const double> numbers, size_t first = 0,
                                    size_t step = 1) {
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

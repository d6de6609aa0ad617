// The mean and the deviation of the numbers of a column, and what a network can do with them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ptp::support {

struct MeanDeviation {
    double mean = 0;
    double deviation = 1;  // over the count; 1 where all numbers are equal
    bool is_constant = false;
};

// Returns those of each `step`-th of the numbers from `first` on; of no numbers 0 and 1. A sum of
// equal numbers may be rounded, so that their mean differs from them: they are compared before.
MeanDeviation mean_deviation(std::span<const double> numbers, std::size_t first = 0,
                             std::size_t step = 1);

// Returns the warning of a column of numbers to be predicted that are far from the scale of a
// network's first predictions, with the advice on what to do; "" for others.
std::string warning_of_scale(const std::string& column, const MeanDeviation& numbers,
                             const std::string& advice);

}  // namespace ptp::support

// Compares new numbers with the range of the training's: a rare flag and a heavy tail are in it,
// however many deviations they are from the mean.

#include "far_numbers.hpp"

#include "cells.hpp"

#include <ptp/error.hpp>

#include <array>
#include <cmath>
#include <cstdio>

namespace {

// At most one of any numbers in a hundred is ten deviations from their mean.
constexpr double kFarDeviations = 10;

std::string rounded(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", number);
    return text.data();
}

// Returns whether a number is both ten deviations from the mean and half the range outside of it:
// the next number of a heavy tail is not.
bool is_far(const ColumnCode& code, double number) {
    const double least = code.range[0];
    const double most = code.range[1];
    const bool has_mean = code.mean[0] != 0 || code.deviation[0] != 1;  // else not standardized
    const double mean = has_mean ? code.mean[0] : (least + most) / 2;
    const double deviation = has_mean ? code.deviation[0] : (most - least) / 4;
    const double outside = std::max(least - number, number - most);
    return outside > (most - least) / 2 && std::abs(number - mean) >= kFarDeviations * deviation;
}

}  // namespace

void warn_of_far_numbers(const TableFile& table, std::span<const size_t> rows,
                         const TableColumns& columns, const ptp::Setup& setup) {
    std::string first;
    size_t count = 0;
    for (const ColumnCode& code : columns.features) {
        if (code.range.size() != 2) {
            continue;
        }
        const size_t column = table.column("features", code.name);
        for (const size_t row : rows) {
            const auto cell = table.value(column, row);
            const auto number = cell ? number_in(*cell) : std::nullopt;
            if (!number || !is_far(code, *number)) {
                continue;
            }
            if (++count == 1) {
                first = ptp::detail::join(table.path(), ":", table.line_of(row), ": column '",
                                          code.name, "' = ", *cell,
                                          " is far outside of the training's ",
                                          rounded(code.range[0]), " to ", rounded(code.range[1]));
            }
        }
    }
    if (count == 0) {
        return;
    }
    const std::string more = count == 1 ? ""
                             : count == 2
                                 ? ", as is one more cell"
                                 : ptp::detail::join(", as are ", count - 1, " more cells");
    setup.log_warning(first + more + "; is it in its unit?");
}

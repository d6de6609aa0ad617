// Compares new numbers with the range of the training's: a rare flag and a heavy tail are in it,
// however many deviations they are from the mean.

#include "far_numbers.hpp"

#include "cells.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>

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

// Cells that are warned of together.
struct Found {
    std::string first;
    size_t count = 0;

    template <class... Texts>
    void add(const Texts&... texts) {
        first = ++count == 1 ? ptp::detail::join(texts...) : first;
    }

    [[nodiscard]] std::string text() const {
        return first + (count == 1   ? ""
                        : count == 2 ? ", as is one more cell"
                                     : ptp::detail::join(", as are ", count - 1, " more cells"));
    }
};

// Returns the only year of the training's dates; nullopt where there are several. Their deviation
// is then not 1.
std::optional<double> only_year(const ColumnCode& code) {
    const bool is_one = code.type == ColumnType::kDate && !code.mean.empty() &&
                        code.deviation[0] == 1 && code.mean[0] == std::floor(code.mean[0]);
    return is_one ? std::optional(code.mean[0]) : std::nullopt;
}

// Returns whether zeros take the place of the cell, which is not one of the categories.
bool is_unknown(const ColumnCode& code, std::string_view cell) {
    const std::string_view name = cell == "true" ? "True" : cell == "false" ? "False" : cell;
    return std::ranges::count(code.categories, cell) + std::ranges::count(code.categories, name) ==
           0;
}

// Warns of a column that has no known value in several rows: it adds nothing to predictions.
void warn_of_unknown_column(const TableFile& table, std::span<const size_t> rows,
                            const ColumnCode& code, const ptp::Setup& setup) {
    const size_t column = table.column("features", code.name);
    size_t missing = 0;
    Found unknown;
    for (const size_t row : rows) {
        const auto cell = table.value(column, row);
        missing += cell ? 0 : 1;
        if (cell && code.type == ColumnType::kCategory && is_unknown(code, *cell)) {
            unknown.add("'", *cell, "' in ", table.path(), ":", table.line_of(row));
        }
    }
    if (rows.size() < 2 || missing + unknown.count < rows.size()) {
        return;
    }
    if (unknown.count == 0) {
        setup.log_warning(ptp::detail::join("no row of ", table.path(),
                                            " has a value in the column '", code.name,
                                            "': each counts as one by the rule for "
                                            "missing values"));
        return;
    }
    setup.log_warning(ptp::detail::join(
        "the column '", code.name, "' has no category of the training, as ", unknown.first,
        ": each counts as zeros; the training has ", quoted_names(code.categories)));
}

}  // namespace

void warn_of_far_numbers(const TableFile& table, std::span<const size_t> rows,
                         const TableColumns& columns, const ptp::Setup& setup) {
    Found far;
    Found other;
    for (const ColumnCode& code : columns.features) {
        warn_of_unknown_column(table, rows, code, setup);
        const std::optional<double> year = only_year(code);
        if (code.range.size() != 2 && !year) {
            continue;
        }
        const size_t column = table.column("features", code.name);
        for (const size_t row : rows) {
            const auto cell = table.value(column, row);
            const auto number = cell ? number_in(*cell) : std::nullopt;
            const auto date = cell && year ? date_in(*cell) : std::nullopt;
            const auto place = [&] {
                return ptp::detail::join(table.path(), ":", table.line_of(row), ": column '",
                                         code.name, "' = ", *cell);
            };
            const double value = number.value_or(0);
            if (date && date->front() != *year) {
                other.add(place(), ", where all rows of the training have the year ",
                          rounded(*year));
            } else if (year || !number) {
                continue;
            } else if (code.range[0] == code.range[1] && value != code.range[0]) {
                other.add(place(), ", where all rows of the training have ",
                          rounded(code.range[0]));
            } else if (is_far(code, value)) {
                far.add(place(), " is far outside of the training's ", rounded(code.range[0]),
                        " to ", rounded(code.range[1]));
            }
        }
    }
    if (other.count > 0) {
        setup.log_warning(other.text() +
                          ": what it means for predictions is not learned; train with rows of "
                          "several, or without the column");
    }
    if (far.count > 0) {
        setup.log_warning(far.text() + "; is it in its unit?");
    }
}

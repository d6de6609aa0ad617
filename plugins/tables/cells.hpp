// Reads the values that a cell of a table may have: numbers, dates and lists of numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A date's year, month, day, weekday (1: Monday) and hour of the day, with its fraction.
inline constexpr size_t kDateParts = 5;
using DateParts = std::array<double, kDateParts>;

// Returns the cell without white space around it.
std::string_view trimmed(std::string_view cell);

// Return nullopt for a cell that is something else. Numbers are written as in C, with a point, and
// fit into 32-bit floats.
std::optional<double> number_in(std::string_view cell);
// Returns whether the cell is a number that is too large for that.
bool is_too_large(std::string_view cell);
// Returns whether the cell is such a number, or inf.
bool is_infinite(std::string_view cell);
// ISO 8601: 2024-05-31, 2024-05-31T14:30, 2024-05-31 14:30:15, with or without Z.
std::optional<DateParts> date_in(std::string_view cell);
// Returns the forms in which the cell begins with a date that exists, as bits, 0 for none:
// 31.05.2024, 5/31/2024 and 2024/05/31. A year has four digits, of 1500 to 2199, or two: 5/31/24.
unsigned other_date_forms(std::string_view cell);
// Numbers that are separated by white space or semicolons, in [ ] and with commas or not.
std::optional<std::vector<double>> list_in(std::string_view cell);

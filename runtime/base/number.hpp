// Numbers as text.

#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace ptp {

// Returns the shortest text that reads back as the same number; "nan", "inf", "-inf".
std::string exact_text(double value);

// Returns the number with `decimals` digits after the point, for people.
std::string rounded_text(double value, int decimals);

// Returns digits with a comma between thousands: "1,234,567".
std::string grouped(std::string digits);

// Returns how often something happens, for people: "1,770/s", "250/s", "2.5/s" or "0.25/s".
std::string rate_text(double per_second);

// Returns "1 episode", "2 episodes"; "2 batches" for the noun "batch" and the ending "es".
template <class Number>
std::string counted(Number count, std::string_view noun, std::string_view ending = "s") {
    return fmt::format("{} {}{}", count, noun, count == 1 ? std::string_view() : ending);
}

}  // namespace ptp

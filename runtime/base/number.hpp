// Numbers as text.

#pragma once

#include <string>

namespace ptp {

// Returns the shortest text that reads back as the same number; "nan", "inf", "-inf".
std::string exact_text(double value);

// Returns the number with `decimals` digits after the point, for people.
std::string rounded_text(double value, int decimals);

// Returns how often something happens, for people: "1,770/s", "250/s", "2.5/s" or "0.25/s".
std::string rate_text(double per_second);

}  // namespace ptp

// Numbers as text.

#pragma once

#include <string>

namespace ptp {

// Returns the shortest text that reads back as the same number; "nan", "inf", "-inf".
std::string exact_text(double value);

// Returns the number with `decimals` digits after the point, for people.
std::string rounded_text(double value, int decimals);

}  // namespace ptp

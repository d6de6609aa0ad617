// Numbers as text.

#pragma once

#include <string>

namespace ptp {

// The shortest text that reads back as the same number; "nan", "inf", "-inf".
std::string exact_text(double value);

// For people: N digits after the point.
std::string rounded_text(double value, int decimals);

}  // namespace ptp

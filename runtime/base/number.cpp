// Writes numbers as text, independent of the locale.

#include "base/number.hpp"

#include <cmath>

namespace ptp {

std::string exact_text(double value) {
    if (std::isnan(value)) {
        return "nan";  // the sign of nan has no meaning
    }
    // fmt produces the shortest text too, but marks whole numbers as reals: 3.0.
    std::string text = fmt::format("{}", value);
    if (text.ends_with(".0")) {
        text.resize(text.size() - 2);
    }
    return text;
}

std::string rounded_text(double value, int decimals) {
    return std::isnan(value) ? "nan" : fmt::format("{:.{}f}", value, decimals);
}

std::string grouped(std::string digits) {
    for (std::size_t end = digits.size(); end > 3; end -= 3) {
        digits.insert(end - 3, 1, ',');
    }
    return digits;
}

std::string rate_text(double per_second) {
    if (per_second < 10) {
        return fmt::format("{:.2g}/s", per_second);
    }
    return grouped(fmt::format("{:.0f}", per_second)) + "/s";
}

}  // namespace ptp

#include "experiment/rate.hpp"

#include <fmt/core.h>

namespace ptp::experiment {

std::string rate_text(double per_second) {
    if (per_second < 10) {
        return fmt::format("{:.2g}/s", per_second);
    }
    std::string text = fmt::format("{:.0f}", per_second);
    for (std::size_t end = text.size(); end > 3; end -= 3) {
        text.insert(end - 3, 1, ',');
    }
    return text + "/s";
}

}  // namespace ptp::experiment

#include "run/run.hpp"

#include <fmt/core.h>

#include <limits>

namespace ptp::run {

const std::vector<std::string>& states() {
    static const std::vector<std::string> all = {"running", "done", "stopped",
                                                 "failed",  "died", "unreadable"};
    return all;
}

std::string number_text(std::optional<double> number) {
    return fmt::format("{:.6g}", number.value_or(std::numeric_limits<double>::quiet_NaN()));
}

std::string plain(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        result += byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
    return result;
}

}  // namespace ptp::run

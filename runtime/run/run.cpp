#include "run/run.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
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
    while (!text.empty()) {
        const std::size_t size = utf8_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
        result += size > 0 && is_control(utf8_code(character)) ? " " : character;
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace ptp::run

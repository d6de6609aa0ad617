#include "base/duration.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace ptp {

namespace {

struct Unit {
    char letter;
    std::int64_t seconds;
};

constexpr std::array<Unit, 4> kUnits = {{{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}};
constexpr std::int64_t kMax = 1'000'000'000;  // of any unit; three thousand years of seconds

}  // namespace

std::optional<double> duration_from(std::string_view text) {
    std::int64_t seconds = 0;
    const char* next = text.data();
    const char* const end = text.data() + text.size();
    for (const Unit& unit : kUnits) {
        std::int64_t count = 0;
        const auto [after, error] = std::from_chars(next, end, count);
        if (error != std::errc() || after == end || *after != unit.letter) {
            continue;  // this unit is not the next one
        }
        if (count < 0 || count > kMax) {
            return std::nullopt;
        }
        seconds += count * unit.seconds;
        next = after + 1;
    }
    if (next != end || seconds == 0) {
        return std::nullopt;
    }
    return static_cast<double>(seconds);
}

std::string duration_text(double seconds) {
    auto rest = static_cast<std::int64_t>(std::llround(seconds));
    std::string text;
    for (const Unit& unit : kUnits) {
        if (rest >= unit.seconds) {
            text += fmt::format("{}{}", rest / unit.seconds, unit.letter);
            rest %= unit.seconds;
        }
    }
    return text;
}

}  // namespace ptp

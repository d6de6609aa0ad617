// Reads and writes spans of time, and writes the time of day.

#include "base/duration.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace ptp {

namespace {

struct Unit {
    char letter;
    std::int64_t seconds;
};

constexpr std::array<Unit, 4> kUnits = {{{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}};
constexpr std::int64_t kMax = 1'000'000'000;  // of any unit; three thousand years of seconds

constexpr double kMaxInTable = 1e9;
constexpr double kMaxInProse = 1000.0 * 3600;

// Formats numbers only, so that the locale does not matter. fmt/chrono.h compiles all of fmt into a
// unit.
std::string formatted(const std::tm& time, const char* format) {
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &time)};
}

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

std::string now_text() {
    const std::time_t now = std::time(nullptr);
    std::tm time{};
    return formatted(*gmtime_r(&now, &time), "%Y-%m-%dT%H:%M:%SZ");
}

std::string stamp_text(std::time_t when) {
    std::tm time{};
    return formatted(*localtime_r(&when, &time), "%Y%m%d_%H%M%S");
}

std::string duration_text(std::optional<double> seconds, DurationStyle style) {
    const bool is_table = style == DurationStyle::kTable;
    if (!seconds || (is_table && !(*seconds >= 0 && *seconds <= kMaxInTable))) {
        return "";
    }
    if (is_table && *seconds < 60) {
        return fmt::format("{:.1f}s", *seconds);
    }
    if (!is_table && *seconds >= kMaxInProse) {
        return "over 1000 h";
    }
    const auto whole = std::llround(*seconds);
    if (whole < 60) {
        return fmt::format("{} s", whole);
    }
    if (whole < 3600) {
        return fmt::format(fmt::runtime(is_table ? "{}m{:02}s" : "{} min {:02} s"), whole / 60,
                           whole % 60);
    }
    return fmt::format(fmt::runtime(is_table ? "{}h{:02}m" : "{} h {:02} min"), whole / 3600,
                       whole % 3600 / 60);
}

}  // namespace ptp

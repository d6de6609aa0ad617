#include "base/time_text.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace ptp {

namespace {

constexpr double kMaxInTable = 1e9;
constexpr double kMaxInProse = 1000.0 * 3600;

// Formats numbers only, so that the locale does not matter. fmt/chrono.h compiles all of fmt into a
// unit.
std::string formatted(const std::tm& time, const char* format) {
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &time)};
}

}  // namespace

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

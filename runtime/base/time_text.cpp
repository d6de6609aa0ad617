#include "base/time_text.hpp"

#include <fmt/chrono.h>

#include <cmath>
#include <ctime>

namespace ptp {

namespace {

constexpr double kMaxInTable = 1e9;
constexpr double kMaxInProse = 1000.0 * 3600;

}  // namespace

std::string now_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
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

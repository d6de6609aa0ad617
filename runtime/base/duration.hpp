// Points in time and spans of time as text: "90m" and "1h30m" in experiments, others for people.

#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace ptp {

// A span of time in an experiment.
struct Duration {
    double seconds = 0;  // 0: none
};

// Parses whole numbers with d, h, m and s, each unit at most once and in this order, into seconds;
// returns nullopt for anything else and for a span of 0.
std::optional<double> duration_from(std::string_view text);

// Returns "1h30m" for a whole number of seconds: the inverse of duration_from().
std::string duration_text(double seconds);

// Returns the current time in UTC, as in RFC 3339: "2026-11-21T08:59:12Z".
std::string now_text();

// Returns "20261231_235959", in local time, for the names of folders.
std::string stamp_text(std::time_t when);

enum class DurationStyle : std::uint8_t {
    kTable,  // "59.9s", "1m02s", "2h03m"; "" if not a span of time, or over 30 years
    kProse   // "59 s", "1 min 02 s", "2 h 03 min"; "over 1000 h"
};

// Returns the text of the two most significant units; "" for nullopt.
std::string duration_text(std::optional<double> seconds, DurationStyle style);

}  // namespace ptp

// Times and spans of time for files and people; base/duration.hpp has the spans in experiments.

#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace ptp {

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

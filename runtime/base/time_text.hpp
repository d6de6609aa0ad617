// Times and spans of time as files and people read them; spans in an experiment are in
// base/duration.hpp.

#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace ptp {

// Now, in UTC, as RFC 3339 has it: "2026-11-21T08:59:12Z".
std::string now_text();

// "20261231_235959", in local time: for the names of folders.
std::string stamp_text(std::time_t when);

enum class DurationStyle : std::uint8_t {
    kTable,  // "59.9s", "1m02s", "2h03m"; "" for what is not a span of time, or exceeds 30 years
    kProse   // "59 s", "1 min 02 s", "2 h 03 min"; "over 1000 h"
};

// The two units that matter; "" for nullopt.
std::string duration_text(std::optional<double> seconds, DurationStyle style);

}  // namespace ptp

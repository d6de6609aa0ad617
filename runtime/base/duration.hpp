// Spans of time as people write them: "90m", "1h30m", "45s", "2d".

#pragma once

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

}  // namespace ptp

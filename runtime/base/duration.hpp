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

// Seconds; nullopt for anything but whole numbers with d, h, m and s, each unit at most once and in
// this order, and more than nothing in all.
std::optional<double> duration_from(std::string_view text);

// The reverse, for whole seconds: "1h30m".
std::string duration_text(double seconds);

}  // namespace ptp

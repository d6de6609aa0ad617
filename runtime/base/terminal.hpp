// The terminal that a standard stream is connected to, if any.

#pragma once

#include <cstddef>
#include <optional>

namespace ptp {

// Returns the width in columns; nullopt if the stream is not a terminal. COLUMNS overrides it.
std::optional<std::size_t> terminal_width(int descriptor);

// Returns whether the stream goes to a terminal that supports escape sequences.
bool is_terminal(int descriptor);

// The variable for auto, always or never; anything else counts as auto.
inline constexpr const char* kColorVariable = "PTP_COLOR";

// Returns what PTP_COLOR requests; otherwise whether it is such a terminal and NO_COLOR is not set
// (see no-color.org).
bool has_color(int descriptor);

}  // namespace ptp

// The terminal that a standard stream goes to, if it does.

#pragma once

#include <cstddef>
#include <optional>

namespace ptp {

// In columns; nullopt when the stream goes elsewhere. COLUMNS decides where it is set.
std::optional<std::size_t> terminal_width(int descriptor);

// Whether the stream goes to a terminal that knows escape sequences.
bool is_terminal(int descriptor);

// auto, always or never; anything else counts as auto.
inline constexpr const char* kColorVariable = "PTP_COLOR";

// What the environment's PTP_COLOR requests; else whether it is such a terminal, and NO_COLOR is
// not set (see no-color.org).
bool has_color(int descriptor);

}  // namespace ptp

// The line ends of text files: LF or CR LF. What ends lines with CR alone, as the first Macintosh
// did, would be read as a single line.
#pragma once

#include <string_view>

namespace ptp::support {

inline constexpr std::string_view kLoneReturns =
    "its lines end with CR alone, as on the first Macintosh, and it would be read as one line; "
    "convert it: tr '\\r' '\\n' < FILE > NEW";

inline bool has_lone_returns(std::string_view text) {
    return text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos;
}

}  // namespace ptp::support

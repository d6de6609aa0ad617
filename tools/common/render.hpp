// The uniform display of problems in all programs:
//
//     xor.toml:14:11: error: pipeline.net.dropout = 1.5: must be in [0, 1)
//        14 | dropout = 1.5
//           |           ^~~
//         fix: what to do, if known
//
// A message may have further lines, such as the one with "fix: "; they follow the source line.
//
// Programs can parse the first line: a place, "error" or "warning", a message. The other lines are
// indented. A problem without a place begins with the name of the program.

#pragma once

#include "base/diagnostics.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::tools {

struct RenderStyle {
    bool has_color = false;
    std::size_t width = 100;  // of the source lines that are shown
};

// Returns the style for a terminal: color if it is wanted, and the width.
RenderStyle style_for(int descriptor);

// Returns one problem, with a line break at its end. `overrides` are the texts of --set, for places
// in them. The line in question is read from its file; it is omitted if that fails.
std::string rendered(const Problem& problem, std::string_view program,
                     const std::vector<std::string>& overrides, const RenderStyle& style);

// Returns all problems, sorted, followed by a count if there are several errors; "" if there are
// none.
std::string rendered(const Diagnostics& problems, std::string_view program,
                     const std::vector<std::string>& overrides, const RenderStyle& style);

// Returns the same for problems in this order.
std::string rendered(const std::vector<Problem>& problems, std::string_view program,
                     const std::vector<std::string>& overrides, const RenderStyle& style);

// Returns "2 errors and 1 warning"; "" for fewer than two errors.
std::string count_text(std::size_t errors, std::size_t warnings);

// Converts a message of another part of the program, "PLACE: MESSAGE" or "MESSAGE", to a problem.
Problem problem_from(std::string_view message);

}  // namespace ptp::tools

// How problems are shown, by all programs and in one form:
//
//     xor.toml:14:11: error: pipeline.net.dropout = 1.5: must be in [0, 1)
//        14 | dropout = 1.5
//           |           ^~~
//         fix: what to do, where that is known
//
// A message may have further lines, as the one with "fix: "; they follow the line of source.
//
// Programs that read it look at the first line: a place, "error" or "warning", a message. The
// remainder is indented. What has no place begins with the name of the program.

#pragma once

#include "base/diagnostics.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

struct RenderStyle {
    bool has_color = false;
    std::size_t width = 100;  // of the source lines that are shown
};

// Color for a terminal that wants it, and its width.
RenderStyle style_for(int descriptor);

// One problem, with a line break at its end. `overrides` are the texts of --set, for places in
// them. A file is read for the line in question; where that cannot be, the line is left out.
std::string rendered(const Problem& problem, std::string_view program,
                     const std::vector<std::string>& overrides, const RenderStyle& style);

// All problems, sorted, and a count below them if there are several errors; "" if there are none.
std::string rendered(const Diagnostics& problems, std::string_view program,
                     const std::vector<std::string>& overrides, const RenderStyle& style);

// "2 errors and 1 warning"; "" for less than two errors.
std::string count_text(std::size_t errors, std::size_t warnings);

// A message of another part of the program, "PLACE: MESSAGE" or "MESSAGE", as a problem.
Problem problem_from(std::string_view message);

}  // namespace ptp::experiment

// The line that a message is about, with a mark below the key or value in question.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ptp::tools {

struct Excerpt {
    std::string line;  // as a terminal shows it
    std::string mark;  // spaces, then "^~~~" below the value or key
};

// Shortens a line of more than `width` columns to the part around `column`, with "..." for the
// omitted parts. `column` counts characters from 1.
Excerpt excerpt_of(std::string_view line, int column, std::size_t width);

}  // namespace ptp::tools

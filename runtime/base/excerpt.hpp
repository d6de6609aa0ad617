// The line that a message is about, with a mark below what is meant.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ptp {

struct Excerpt {
    std::string line;  // as a terminal shows it
    std::string mark;  // spaces, then "^~~~" below the value or key
};

// `column` is the column of the first character that is meant, counted in characters from 1. A line
// that takes more than `width` columns is shown around it, with "..." where something is left out.
Excerpt excerpt_of(std::string_view line, int column, std::size_t width);

}  // namespace ptp

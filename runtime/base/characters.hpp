// Text as a terminal shows it: characters and the columns that they take.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptp {

// One character of a line, in a form that can be sent to a terminal.
struct Character {
    std::string shown;      // a tab as spaces; control characters and bad bytes as "\ufffd"
    std::size_t width = 1;  // in columns: 0 for combining marks, 2 for wide characters
};

// Returns the characters of a line; a tab extends to the next multiple of four columns.
std::vector<Character> characters_of(std::string_view line);

// Returns the number of columns that a line takes.
std::size_t display_width(std::string_view line);

// Returns the longest prefix of a line that takes at most `width` columns; it never ends within a
// character.
std::string cut_to_width(std::string_view line, std::size_t width);

}  // namespace ptp

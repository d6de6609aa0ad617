// What texts of a plugin may look like: they come from files and memory that nobody has checked.
#pragma once

#include <string_view>

namespace ptp {

bool is_utf8(std::string_view text);

// "batch_size": a lower-case letter, then lower-case letters, digits and '_'.
bool is_snake_case(std::string_view text);

// "LeNet5": a letter, then letters, digits and '_'.
bool is_type_name(std::string_view text);

// Without control characters, so that it cannot break a listing or move a terminal's cursor.
bool is_one_line(std::string_view text);

// The same, but lines may end and tabs may be in it.
bool is_plain(std::string_view text);

}  // namespace ptp

// What makes a shell ask a program how a command line can continue: `PROGRAM completion --words
// WORD...` prints the completions of the last of the words, a line for each.

#pragma once

#include <string>
#include <string_view>

namespace ptp::tools {

// For bash, zsh or fish; "" for any other.
std::string completion_script(std::string_view shell, std::string_view program);

}  // namespace ptp::tools

// Scripts that let a shell complete command lines of a program: `PROGRAM completion --words
// WORD...` prints the completions of the last word, one per line.

#pragma once

#include <string>
#include <string_view>

namespace ptp::tools {

// Returns the script for bash, zsh or fish; "" for any other shell.
std::string completion_script(std::string_view shell, std::string_view program);

}  // namespace ptp::tools

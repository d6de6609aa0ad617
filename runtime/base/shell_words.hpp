// Reads words and options back from a command that a fix proposes.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptp {

// The text between the lines of a fix; each line may be what is meant.
inline constexpr std::string_view kNextFix = "\n         ";

// Returns these lines.
std::vector<std::string> fix_lines(std::string_view fix);

// Takes the first word off a text that shell_word() and blanks have made.
std::string take_shell_word(std::string_view& text);

// Returns the values of the first options --set of a fix: "lr=0.1" of "to train with it, --set
// lr=0.1". Empty where it has none.
std::vector<std::string> set_options(std::string_view fix);

}  // namespace ptp

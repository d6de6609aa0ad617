// Completes command lines.

#pragma once

#include <string>
#include <vector>

namespace ptp::ptprun {

// Returns the completions of the last word; the words are those after the program's name. Reads the
// experiment among them, if there is one, for its keys. Errors are ignored.
std::vector<std::string> candidates(const std::vector<std::string>& words);

}  // namespace ptp::ptprun

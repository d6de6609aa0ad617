// How a command line can be continued.

#pragma once

#include <string>
#include <vector>

namespace ptp::ptprun {

// What the last word may become; the words are those after the program's name.
// Reads the experiment among them, if there is one, for its keys. Errors are
// not reported.
std::vector<std::string> candidates(const std::vector<std::string>& words);

}  // namespace ptp::ptprun

// How a command line can go on.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

// Stand for all files or folders, which shells know better how to complete.
inline constexpr std::string_view kFiles = ":files";
inline constexpr std::string_view kFolders = ":folders";

// What the last word may become; the words are those after the program's name. Reads the experiment
// among them, if there is one, for its keys. Says nothing of what is wrong.
std::vector<std::string> candidates(const std::vector<std::string>& words);

}  // namespace ptp::ptprun

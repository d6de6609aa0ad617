// What libjpeg-turbo takes to decode files, without anything around it: the limit for what does
// more with them.
#pragma once

#include <filesystem>
#include <vector>

namespace ptp::bench {

// All files below the folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// Decodes them to red, green and blue, at this number of eighths of their size.
void decode_jpegs(const std::vector<std::filesystem::path>& files, unsigned eighths);

}  // namespace ptp::bench

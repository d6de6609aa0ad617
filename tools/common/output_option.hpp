// The option -o FILE of commands that write one file, when all else is done.

#pragma once

#include <filesystem>

namespace ptp::tools {

// Where FILE is to be written: what a link leads to. Throws UsageError for a folder, a pipe or a
// device, and for a file in a folder that is missing or cannot be written.
std::filesystem::path output_file(const std::filesystem::path& named);

}  // namespace ptp::tools

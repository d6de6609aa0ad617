// The option -o FILE of commands that write one file at their end.

#pragma once

#include <filesystem>

namespace ptp::tools {

// Returns the file to write, following links. Throws UsageError for a folder, a pipe or a device,
// and for a file in a folder that is missing or not writable.
std::filesystem::path output_file(const std::filesystem::path& named);

}  // namespace ptp::tools

// The option -o FILE of commands that write one file.

#pragma once

#include "commands.hpp"

#include <filesystem>

namespace ptp::ptprun {

// The file that it names. Throws UsageError for a folder, and for a file in a folder that is not
// there. REQUIRES: it is given.
std::filesystem::path output_file(const Given& given);

}  // namespace ptp::ptprun

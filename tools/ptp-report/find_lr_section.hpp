// The section of a report about a range test of `ptprun find-lr`.
#pragma once

#include "base/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::report {

// Adds the curve of find_lr.json, if the run has one, and a sentence, with its fix, if it cannot be
// read. Nothing in the file is trusted.
void add_find_lr(Json& sections, const std::filesystem::path& run,
                 std::vector<std::string>& problems);

}  // namespace ptp::report

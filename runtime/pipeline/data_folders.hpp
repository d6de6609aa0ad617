// Finds the folder that is meant by one that is a level or two too deep in a data set, or not deep
// enough.

#pragma once

#include "base/source_location.hpp"
#include "pipeline/plan.hpp"

#include <string>
#include <string_view>

namespace ptp::pipeline {

// Returns a path as it is typed at `place`: in a file relative to its folder where it is below.
std::string typed_path(const std::string& path, const SourceLocation& place);

// Returns how a setting names the folder that has the file which a component misses there, by its
// message "FOLDER/FILE: no such file, nor OTHER"; "" if none near has it.
std::string fix_of_folder(const Node& node, std::string_view message);

}  // namespace ptp::pipeline

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

// Returns "training", "validation" or "test" for the name of a folder that is commonly a part of
// the data, as val; "" for others.
std::string part_of_data(std::string_view folder);

// Returns how to name the parts where the folders that two sections take for the same classes are
// parts of the data, as train and val; "" where they are not.
std::string fix_of_parts(const Node& training, const Node& other);

}  // namespace ptp::pipeline

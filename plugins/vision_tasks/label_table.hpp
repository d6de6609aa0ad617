// The tables of SimpleMolecules: a class and the name of an image in each line, separated by a tab.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

struct LabelledName {
    int64_t label = 0;
    std::string name;
};

// Throws DataError with the wrong lines: labels are 0 to `classes` - 1, and a name is a file name,
// not a path.
std::vector<LabelledName> read_label_table(const std::filesystem::path& file, int64_t classes);

// A folder for each class: which classes there are, and which images.
#pragma once

#include "picture_files.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The names of the folders in `root` in the order of their bytes; or `wanted`, unless it is empty.
// Throws DataError if there is none, or one that is wanted is not there; ConfigError if one is
// wanted twice.
std::vector<std::string> find_classes(const std::filesystem::path& root,
                                      const std::vector<std::string>& wanted);

// One of each for each file.
struct ClassFiles {
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> names;  // the path within the root
    std::vector<int64_t> targets;
};

// In the order of classes and names. Throws DataError for classes without images.
ClassFiles find_class_files(const std::filesystem::path& root,
                            const std::vector<std::string>& classes);

void leave_out(const std::vector<BadFile>& bad, ClassFiles& files);

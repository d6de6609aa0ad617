// Folders with files of data, and with a folder for each class.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::support {

// Whether the name begins with a dot.
bool is_hidden(const std::filesystem::path& path);

// Throws DataError unless it is a folder that can be read.
void require_folder(const std::filesystem::path& path);

// The files within `folder` and the folders in it whose names end with one of `endings` (".txt"),
// in any case; their paths in the folder, sorted. What is hidden is left out. Links to folders
// further down are not followed: they may lead back. Throws DataError.
std::vector<std::string> file_names(const std::filesystem::path& folder,
                                    std::span<const std::string_view> endings);

// The names of the folders in `root` in the order of their bytes; or `wanted`, unless it is empty.
// Throws DataError if there is none, or one that is wanted is not there; ConfigError if one is
// wanted twice.
std::vector<std::string> find_classes(const std::filesystem::path& root,
                                      const std::vector<std::string>& wanted);

}  // namespace ptp::support

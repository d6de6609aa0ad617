// Folders with files of data, and with a folder for each class.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::support {

// The ends of the names of files, ".txt", which files may have in any case.
using Endings = std::span<const std::string_view>;

// One of each for each file.
struct FoundFiles {
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> names;  // the path within the folder that all of them share, in UTF-8
};

// Of `paths`, files in the order given, files in folders and the folders in these in the order of
// their names. A file that is named itself may have any name; in folders what is hidden, by a dot
// before its name, is left out. Links to folders are followed, but for those that lead back to a
// folder on the way. Throws DataError for folders without such files, and for those that cannot be
// read.
FoundFiles find_files(const std::vector<std::filesystem::path>& paths, Endings endings);

// The names of the folders in `root` in the order of their bytes; or `wanted`, unless it is empty.
// Throws DataError if there is none, one that is wanted is not there, or one has a name that is not
// UTF-8; ConfigError if one is
// wanted twice.
std::vector<std::string> find_classes(const std::filesystem::path& root,
                                      const std::vector<std::string>& wanted);

// One of each for each file.
struct ClassFiles {
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> names;  // the path within the root, in UTF-8
    std::vector<std::int64_t> targets;
};

// Of the folders `classes` in `root`, in the order of classes and names. Throws DataError for
// classes without files.
ClassFiles find_class_files(const std::filesystem::path& root,
                            const std::vector<std::string>& classes, Endings endings);

}  // namespace ptp::support

// Finds files of data in folders, and in folders with one folder for each class.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::support {

// File extensions, such as ".txt"; upper and lower case are equal.
using Endings = std::span<const std::string_view>;

// The found files, with a path and a name for each.
struct FoundFiles {
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> names;  // relative to the common folder of all, in UTF-8
    std::string left_out;  // a sentence about other files in the folders; "": there are none
};

// Returns the files of `paths`: named files in the given order; files in folders and their
// subfolders in the order of names. A named file may have any name; in folders, hidden entries,
// whose names begin with a dot, and those that systems write, such as Thumbs.db, are ignored, and
// README and LICENSE are left out. Links to folders are followed, except those to a
// folder on the current path. Throws DataError for folders without such files, and for unreadable
// ones.
FoundFiles find_files(const std::vector<std::filesystem::path>& paths, Endings endings);

// The folders of classes in a folder.
struct ClassFolders {
    const std::filesystem::path& root;
    const std::vector<std::string>& classes;
    bool may_be_absent = false;  // those without files, too
    bool are_found = false;      // they are the folders of the root, not listed in a setting
};

// Returns the names of the folders in the root in the order of their bytes; or the classes, unless
// these are empty. Throws DataError if there are none, if a class has no folder, or if a name is
// not UTF-8; ConfigError for a class that comes twice.
std::vector<std::string> find_classes(const ClassFolders& folders);

// The found files, with a path, a name and a target for each.
struct ClassFiles {
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> names;  // relative to the root, in UTF-8
    std::vector<std::int64_t> targets;
    std::string left_out;  // as above
};

// Returns the files of the folders, in the order of classes and names. Files beside the folders
// count as left out if they have such an ending, but for README and LICENSE. Throws DataError for
// classes without files.
ClassFiles find_class_files(const ClassFolders& folders, Endings endings);

}  // namespace ptp::support

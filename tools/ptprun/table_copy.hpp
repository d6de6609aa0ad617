// A folder for the copy of a table that the user gave as text, from which the files that its cells
// name are found.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

// A folder for the copy of a table whose cells name files relative to another folder. It is below
// `root` as that one is below "/", and so is a link for each named file: a path without `root` is
// the user's.
class TableCopy {
public:
    TableCopy(std::filesystem::path root, const std::filesystem::path& folder);

    // Returns the folder of the copy.
    [[nodiscard]] std::filesystem::path path() const { return root_ / folder_.relative_path(); }

    // Links the file that a cell names; other cells are left alone.
    void add(const std::string& cell) const;

private:
    std::filesystem::path root_;
    std::filesystem::path folder_;  // of the user
};

// Returns a text with the user's paths in place of those below `root`.
std::string with_own_paths(std::string text, const std::filesystem::path& root);

}  // namespace ptp::ptprun

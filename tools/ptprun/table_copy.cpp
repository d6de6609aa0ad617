// Mirrors the folders of the files that a table names by links to them.

#include "table_copy.hpp"

#include <system_error>
#include <utility>

namespace ptp::ptprun {

namespace fs = std::filesystem;

TableCopy::TableCopy(fs::path root, const fs::path& folder)
    : root_(std::move(root)), folder_(fs::absolute(folder).lexically_normal()) {
    fs::create_directories(path());
}

void TableCopy::add(const std::string& cell) const {
    constexpr std::size_t kMaxPath = 4095;
    const fs::path named = cell;
    std::error_code ignored;  // a file that cannot be looked at is the task's to report
    if (cell.empty() || cell.size() > kMaxPath || named.is_absolute() ||
        !fs::is_regular_file(folder_ / named, ignored)) {
        return;
    }
    const fs::path link = path() / named;
    fs::create_directories(link.parent_path(), ignored);
    fs::create_symlink(folder_ / named, link, ignored);  // it exists for a file that is named twice
}

std::string with_own_paths(std::string text, const fs::path& root) {
    const std::string own = root.string() + "/";
    for (std::size_t at = 0; (at = text.find(own, at)) != std::string::npos;) {
        text.erase(at, own.size() - 1);
    }
    return text;
}

}  // namespace ptp::ptprun

#include "plugin/search_path.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> split_path(std::string_view list) {
    std::vector<fs::path> parts;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(':'), list.size());
        if (end > 0) {
            parts.emplace_back(list.substr(0, end));
        }
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return parts;
}

// One folder may be named in many ways: "a/../b", through a link, with a slash at the end.
fs::path unique_name(const fs::path& folder) {
    std::error_code error;
    fs::path canonical = fs::weakly_canonical(folder, error);
    return error ? fs::absolute(folder).lexically_normal() : canonical;
}

}  // namespace

std::vector<fs::path> search_folders(const SearchPath& path) {
    std::vector<fs::path> wanted = path.command_line;
    std::ranges::copy(split_path(path.environment), std::back_inserter(wanted));
    std::ranges::copy(path.experiment, std::back_inserter(wanted));
    if (!path.executable.empty()) {
        const fs::path installed = path.executable.parent_path() / "../lib/ptp/plugins";
        std::error_code error;
        if (fs::is_directory(installed, error)) {
            wanted.push_back(installed);
        }
    }
    std::vector<fs::path> folders;
    for (const fs::path& folder : wanted) {
        fs::path name = unique_name(folder);
        if (std::ranges::find(folders, name) == folders.end()) {
            folders.push_back(std::move(name));
        }
    }
    return folders;
}

fs::path executable_path() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error);
}

}  // namespace ptp::plugin

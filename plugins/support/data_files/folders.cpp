#include "folders.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <system_error>

namespace ptp::support {

namespace fs = std::filesystem;

namespace {

bool has_ending(const fs::path& path, std::span<const std::string_view> endings) {
    std::string ending = path.extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return std::ranges::find(endings, ending) != endings.end();
}

std::vector<std::string> folder_names(const fs::path& root) {
    require_folder(root);
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root)) {
        if (entry.is_directory() && !is_hidden(entry.path())) {
            names.push_back(entry.path().filename().string());
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

void require_folder(const fs::path& path) {
    std::error_code error;
    const fs::directory_iterator begin(path, error);
    if (error) {
        throw DataError(path, ": cannot be read as a folder: ", error.message());
    }
}

std::vector<std::string> file_names(const fs::path& folder,
                                    std::span<const std::string_view> endings) {
    require_folder(folder);
    std::vector<std::string> names;
    fs::recursive_directory_iterator entry(folder);
    for (; entry != fs::recursive_directory_iterator(); ++entry) {
        if (is_hidden(entry->path())) {
            entry.disable_recursion_pending();
        } else if (has_ending(entry->path(), endings) && !entry->is_directory()) {
            names.push_back(entry->path().lexically_relative(folder).string());
        }
    }
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> find_classes(const fs::path& root,
                                      const std::vector<std::string>& wanted) {
    std::string problems;
    for (auto name = wanted.begin(); name != wanted.end(); ++name) {
        if (std::find(wanted.begin(), name, *name) != name) {
            throw ConfigError("classes: '", *name, "' is listed twice");
        }
        if (!fs::is_directory(root / *name)) {
            problems += (problems.empty() ? "" : "\n") + (root / *name).string() +
                        ": no such folder, and `classes` names it";
        }
    }
    if (!problems.empty()) {
        throw DataError(problems);
    }
    std::vector<std::string> names = wanted.empty() ? folder_names(root) : wanted;
    if (names.empty()) {
        throw DataError(root, ": has no folders; expected one for each class");
    }
    return names;
}

}  // namespace ptp::support

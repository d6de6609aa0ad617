#include "folders.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <system_error>

namespace ptp::support {

namespace fs = std::filesystem;

namespace {

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

bool has_ending(const fs::path& path, Endings endings) {
    std::string ending = path.extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return std::ranges::find(endings, ending) != endings.end();
}

// ".jpg, .jpeg or .png"
std::string listed(Endings endings) {
    std::string text;
    for (std::size_t i = 0; i < endings.size(); ++i) {
        text += i == 0 ? "" : i + 1 == endings.size() ? " or " : ", ";
        text += endings[i];
    }
    return text;
}

void require_folder(const fs::path& path) {
    std::error_code error;
    const fs::directory_iterator begin(path, error);
    if (error) {
        throw DataError(path, ": cannot be read as a folder: ", error.message());
    }
}

// Within `folder` and the folders in it; sorted, relative to it.
std::vector<std::string> file_names(const fs::path& folder, Endings endings) {
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

// The same; where there is none it becomes another line of `problems`.
std::vector<std::string> file_names(const fs::path& folder, Endings endings,
                                    std::string& problems) {
    std::vector<std::string> names = file_names(folder, endings);
    if (names.empty()) {
        problems += (problems.empty() ? "" : "\n") + folder.string() +
                    ": has no files that end with " + listed(endings);
    }
    return names;
}

void throw_unless_empty(const std::string& problems) {
    if (!problems.empty()) {
        throw DataError(problems);
    }
}

// The deepest folder that has all of these files or folders in it.
fs::path common_folder(const std::vector<fs::path>& paths) {
    fs::path common = paths.front();
    for (const fs::path& path : paths) {
        const auto [end, unused] =
            std::mismatch(common.begin(), common.end(), path.begin(), path.end());
        fs::path shared;
        for (auto part = common.begin(); part != end; ++part) {
            shared /= *part;
        }
        common = std::move(shared);
    }
    return fs::is_directory(common) ? common : common.parent_path();
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

FoundFiles find_files(const std::vector<fs::path>& paths, Endings endings) {
    FoundFiles files;
    if (paths.empty()) {
        return files;
    }
    std::string problems;
    std::vector<fs::path> given;
    for (const fs::path& path : paths) {
        const fs::path normal = path.lexically_normal();
        given.push_back(normal.has_filename() ? normal : normal.parent_path());
        if (!fs::is_directory(path)) {
            files.paths.push_back(normal);
            continue;
        }
        for (const std::string& name : file_names(path, endings, problems)) {
            files.paths.push_back((path / name).lexically_normal());
        }
    }
    throw_unless_empty(problems);
    const fs::path root = common_folder(given);
    for (const fs::path& path : files.paths) {
        files.names.push_back(path.lexically_relative(root).string());
    }
    return files;
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
    throw_unless_empty(problems);
    std::vector<std::string> names = wanted.empty() ? folder_names(root) : wanted;
    if (names.empty()) {
        throw DataError(root, ": has no folders; expected one for each class");
    }
    return names;
}

ClassFiles find_class_files(const fs::path& root, const std::vector<std::string>& classes,
                            Endings endings) {
    ClassFiles files;
    std::string problems;
    for (std::size_t target = 0; target < classes.size(); ++target) {
        for (const std::string& name : file_names(root / classes[target], endings, problems)) {
            files.names.push_back(classes[target] + "/" + name);
            files.paths.push_back(root / classes[target] / name);
            files.targets.push_back(static_cast<std::int64_t>(target));
        }
    }
    throw_unless_empty(problems);
    return files;
}

}  // namespace ptp::support

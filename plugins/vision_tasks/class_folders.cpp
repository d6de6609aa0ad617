#include "class_folders.hpp"

#include "plain_images.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <utility>

namespace fs = std::filesystem;

namespace {

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

std::vector<std::string> find_classes(const fs::path& root,
                                      const std::vector<std::string>& wanted) {
    std::string problems;
    for (auto name = wanted.begin(); name != wanted.end(); ++name) {
        if (std::find(wanted.begin(), name, *name) != name) {
            throw ptp::ConfigError("classes: '", *name, "' is listed twice");
        }
        if (!fs::is_directory(root / *name)) {
            problems += (problems.empty() ? "" : "\n") + (root / *name).string() +
                        ": no such folder, and `classes` names it";
        }
    }
    if (!problems.empty()) {
        throw ptp::DataError(problems);
    }
    std::vector<std::string> names = wanted.empty() ? folder_names(root) : wanted;
    if (names.empty()) {
        throw ptp::DataError(root, ": has no folders; expected one for each class");
    }
    return names;
}

ClassFiles find_class_files(const fs::path& root, const std::vector<std::string>& classes) {
    ClassFiles files;
    std::string problems;
    for (size_t target = 0; target < classes.size(); ++target) {
        const std::vector<std::string> names = image_names(root / classes[target]);
        if (names.empty()) {
            problems += (problems.empty() ? "" : "\n") + (root / classes[target]).string() +
                        ": has no files that end with .jpg, .jpeg or .png";
        }
        for (const std::string& name : names) {
            files.names.push_back(classes[target] + "/" + name);
            files.paths.push_back(root / classes[target] / name);
            files.targets.push_back(static_cast<int64_t>(target));
        }
    }
    if (!problems.empty()) {
        throw ptp::DataError(problems);
    }
    return files;
}

void leave_out(const std::vector<BadFile>& bad, ClassFiles& files) {
    ClassFiles kept;
    auto next = bad.begin();
    for (size_t i = 0; i < files.paths.size(); ++i) {
        if (next != bad.end() && next->index == i) {
            ++next;
            continue;
        }
        kept.paths.push_back(std::move(files.paths[i]));
        kept.names.push_back(std::move(files.names[i]));
        kept.targets.push_back(files.targets[i]);
    }
    files = std::move(kept);
}

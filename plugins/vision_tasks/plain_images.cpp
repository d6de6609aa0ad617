#include "plain_images.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

namespace {

bool is_image_name(const fs::path& path) {
    constexpr std::array<std::string_view, 3> kEndings{".jpg", ".jpeg", ".png"};
    std::string ending = path.extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return std::ranges::find(kEndings, ending) != kEndings.end();
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

}  // namespace

void require_folder(const fs::path& path) {
    std::error_code error;
    const fs::directory_iterator begin(path, error);
    if (error) {
        throw ptp::DataError(path, ": cannot be read as a folder: ", error.message());
    }
}

std::vector<std::string> image_names(const fs::path& folder) {
    require_folder(folder);
    std::vector<std::string> names;
    fs::recursive_directory_iterator entry(folder);
    for (; entry != fs::recursive_directory_iterator(); ++entry) {
        if (is_hidden(entry->path())) {
            entry.disable_recursion_pending();
        } else if (is_image_name(entry->path()) && !entry->is_directory()) {
            names.push_back(entry->path().lexically_relative(folder).string());
        }
    }
    std::ranges::sort(names);
    return names;
}

namespace {

// The files, and all images in the folders.
std::vector<fs::path> image_paths(const std::vector<fs::path>& paths) {
    std::vector<fs::path> images;
    std::string problems;
    for (const fs::path& path : paths) {
        if (!fs::is_directory(path)) {
            images.push_back(path.lexically_normal());
            continue;
        }
        const std::vector<std::string> names = image_names(path);
        if (names.empty()) {
            problems += (problems.empty() ? "" : "\n") + path.string() +
                        ": has no files that end with .jpg, .jpeg or .png";
        }
        for (const std::string& name : names) {
            images.push_back((path / name).lexically_normal());
        }
    }
    if (!problems.empty()) {
        throw ptp::DataError(problems);
    }
    return images;
}

}  // namespace

PlainImages find_plain_images(const std::vector<fs::path>& paths) {
    PlainImages images;
    if (paths.empty()) {
        return images;
    }
    images.paths = image_paths(paths);
    std::vector<fs::path> given;
    for (const fs::path& path : paths) {
        const fs::path normal = path.lexically_normal();
        given.push_back(normal.has_filename() ? normal : normal.parent_path());
    }
    const fs::path root = common_folder(given);
    for (const fs::path& path : images.paths) {
        images.names.push_back(path.lexically_relative(root).string());
    }
    return images;
}

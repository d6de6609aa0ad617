#include "ptp-pack/entry_path.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace ptp::pack {

namespace {

constexpr std::size_t kMaxPathBytes = 200;
constexpr std::size_t kMaxPathParts = 16;
constexpr std::size_t kMaxPackageName = 64;

bool is_portable(char c) {
    return c > 0x20 && c < 0x7f && std::string_view("\\:*?\"<>|").find(c) == std::string_view::npos;
}

std::string refuse_part(std::string_view part) {
    if (part == "..") {
        return "leads out of the package";
    }
    if (part.empty()) {
        return "has an empty part";
    }
    if (part.front() == '.') {
        return "is hidden: it begins with '.'";
    }
    return part.back() == '.' ? "ends in '.'" : "";
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

}  // namespace

std::string refuse_path(std::string_view path) {
    if (path.empty()) {
        return "is empty";
    }
    if (path.front() == '/') {
        return "is absolute";
    }
    if (path.size() > kMaxPathBytes) {
        return "is longer than 200 bytes";
    }
    if (!std::ranges::all_of(path, is_portable)) {
        return "has a character other than printable ASCII without blanks and \\ : * ? \" < > |";
    }
    std::size_t count = 1;
    for (std::string_view rest = path;; ++count) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        if (std::string why = refuse_part(rest.substr(0, end)); !why.empty()) {
            return why;
        }
        if (end == rest.size()) {
            break;
        }
        rest.remove_prefix(end + 1);
    }
    return count > kMaxPathParts ? "is more than 16 folders deep" : "";
}

std::string colliding_path(std::vector<std::string> paths) {
    std::ranges::transform(paths, paths.begin(), lower);
    std::ranges::sort(paths);
    for (std::size_t i = 1; i < paths.size(); ++i) {
        if (paths[i] == paths[i - 1]) {
            return paths[i];
        }
    }
    for (const std::string& path : paths) {
        for (std::size_t end = path.find('/'); end != std::string::npos;
             end = path.find('/', end + 1)) {
            if (std::ranges::binary_search(paths, path.substr(0, end))) {
                return path.substr(0, end);
            }
        }
    }
    return "";
}

bool is_package_name(std::string_view name) {
    return is_snake_case(name) && name.size() <= kMaxPackageName;
}

}  // namespace ptp::pack

// Resolves paths against the file that names them, and shortens them for messages.

#include "base/paths.hpp"

#include <cstdlib>

namespace ptp {

namespace fs = std::filesystem;

fs::path home_folder() {
    const char* const home = std::getenv("HOME");
    return home == nullptr ? "" : home;
}

std::optional<fs::path> path_from(std::string_view text, const SourceLocation& written_at,
                                  const fs::path& home) {
    if (text.starts_with('~')) {
        const bool is_own = text.size() == 1 || text[1] == '/';
        if (!is_own || home.empty()) {
            return std::nullopt;
        }
        const std::string_view below = text.size() > 2 ? text.substr(2) : std::string_view();
        return (home / below).lexically_normal();
    }
    return (fs::path(written_at.file()).parent_path() / text).lexically_normal();
}

std::string shown_path(const fs::path& path) {
    const fs::path normal = path.lexically_normal();
    if (normal.is_relative()) {
        return normal.string();
    }
    std::error_code ignored;
    const fs::path relative = normal.lexically_relative(fs::current_path(ignored));
    const bool is_below = !relative.empty() && *relative.begin() != "..";
    return is_below ? relative.string() : normal.string();
}

std::string absolute_text(const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace ptp

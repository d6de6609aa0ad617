// Paths as experiments write them: "~" is the home folder, and a relative path starts at the folder
// of the file that it is written in (at the current directory for values from the command line).

#pragma once

#include "base/source_location.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp {

// `text` as a path that can be opened. nullopt when it starts with "~" and `home` is empty, or
// names another user's home ("~name").
std::optional<std::filesystem::path> path_from(std::string_view text,
                                               const SourceLocation& written_at,
                                               const std::filesystem::path& home);

// How messages name a file: relative to the current directory when given so or lying below it.
std::string shown_path(const std::filesystem::path& path);

// For files that are read from elsewhere: absolute, without `..`.
std::string absolute_text(const std::filesystem::path& path);

}  // namespace ptp

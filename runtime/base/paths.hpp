// Resolves paths in experiments, and shows paths in messages and records. "~" is the home folder,
// and a relative path starts at the folder of its file (at the current directory for values from
// the command line).

#pragma once

#include "base/source_location.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp {

// Returns the home folder, which "~" expands to; empty if it is not known. [main]
std::filesystem::path home_folder();

// Returns `text` as a path that can be opened; nullopt if it starts with "~" and `home` is empty,
// or if it names another user's home ("~name").
std::optional<std::filesystem::path> path_from(std::string_view text,
                                               const SourceLocation& written_at,
                                               const std::filesystem::path& home);

// Returns the name of a file for messages: relative to the current directory if it was given so or
// lies below it.
std::string shown_path(const std::filesystem::path& path);

// Returns the absolute path without `..`, for a record that is later read from another folder.
std::string absolute_text(const std::filesystem::path& path);

}  // namespace ptp

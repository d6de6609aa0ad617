// Replaces a whole folder at once, so that a reader, or a kill, finds the old one or the new one.

#pragma once

#include <filesystem>
#include <functional>

namespace ptp {

// Swaps the names of two folders in one step. Returns false if the file system cannot; throws
// RunError for all other failures.
using ExchangeFolders = bool (*)(const std::filesystem::path& left,
                                 const std::filesystem::path& right);
bool exchange_folders(const std::filesystem::path& left, const std::filesystem::path& right);

// Has `write` fill a new folder beside `folder`, "<name>.new", then puts it in its place. An
// exception of `write` passes on; the new folder is then removed, and the old one stays. The
// folder's parent must exist. An old folder that cannot be removed stays as "<name>.new" or
// "<name>.old". Throws RunError.
void replace_folder(const std::filesystem::path& folder,
                    const std::function<void(const std::filesystem::path&)>& write,
                    ExchangeFolders exchange = exchange_folders);

// Restores a folder that is missing after a kill, on a file system that cannot exchange: renames
// "<name>.new", or else "<name>.old", to its name if `is_whole`. Does nothing if `folder` exists.
// Throws RunError.
void recover_folder(const std::filesystem::path& folder,
                    const std::function<bool(const std::filesystem::path&)>& is_whole);

// Renames a folder that is to be removed to "<name>.old", so that a kill leaves it whole or
// recognizable. Returns its new name. Throws RunError.
std::filesystem::path retire_folder(const std::filesystem::path& folder);

}  // namespace ptp

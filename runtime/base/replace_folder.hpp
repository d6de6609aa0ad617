// Exchanges a whole folder at once, so that a reader, or a kill, finds the old one or the new one.

#pragma once

#include <filesystem>
#include <functional>

namespace ptp {

// Two folders change names in one step. False where the file system cannot; throws RunError for all
// else that goes wrong.
using ExchangeFolders =
    std::function<bool(const std::filesystem::path& left, const std::filesystem::path& right)>;
bool exchange_folders(const std::filesystem::path& left, const std::filesystem::path& right);

// Has `write` fill a new folder beside `folder`, "<name>.new", then puts it in its place. What
// `write` throws passes on; the new folder is gone then, and the old one stays. The folder's parent
// must exist. An old folder that cannot be removed stays as "<name>.new" or "<name>.old". Throws
// RunError.
void replace_folder(const std::filesystem::path& folder,
                    const std::function<void(const std::filesystem::path&)>& write,
                    const ExchangeFolders& exchange = exchange_folders);

// Where a file system cannot exchange, a kill may leave nothing under the name: returns it to
// "<name>.new", or else "<name>.old", if `is_whole`. Nothing changes if there is a `folder`. Throws
// RunError.
void recover_folder(const std::filesystem::path& folder,
                    const std::function<bool(const std::filesystem::path&)>& is_whole);

// Renames a folder that is to be removed to "<name>.old": a kill leaves it whole or
// recognizable. Its new name. Throws RunError.
std::filesystem::path retire_folder(const std::filesystem::path& folder);

}  // namespace ptp

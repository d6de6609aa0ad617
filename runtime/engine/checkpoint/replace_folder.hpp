// Exchanges a whole folder at once, so that a reader, or a kill, finds the old one or the new one.

#pragma once

#include <filesystem>
#include <functional>

namespace ptp::engine {

// Has `write` fill a new folder beside `folder`, then puts it in its place. What `write` throws
// passes on, and the old folder stays. The folder's parent must exist. Throws RunError.
void replace_folder(const std::filesystem::path& folder,
                    const std::function<void(const std::filesystem::path&)>& write);

}  // namespace ptp::engine

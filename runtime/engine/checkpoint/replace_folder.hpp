// Exchanges a whole folder at once, so that a reader, or a kill, finds the old one or the new one.

#pragma once

#include <filesystem>
#include <functional>

namespace ptp::engine {

// Has `write` fill a new folder beside `folder`, then puts it in its place. What `write` throws
// passes on; the new folder is gone then, and the old one stays. The folder's parent must exist. Throws RunError.
void replace_folder(const std::filesystem::path& folder,
                    const std::function<void(const std::filesystem::path&)>& write);

// Removes a folder so that a kill leaves it whole or recognisably a rest ("<name>.old"). Throws
// RunError.
void remove_folder(const std::filesystem::path& folder);

}  // namespace ptp::engine

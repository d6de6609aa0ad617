// How much memory the images of loaded libraries take.

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ptp::engine {

// The part of each library of `folder` that is in memory, in KiB; 0 for a file that is not loaded.
// It asks the loader where libraries are and the system which of their pages are there
// (mincore(2)), so that it takes microseconds for each. The texts of /proc/self/smaps list the
// whole process, and reading them holds up all threads that map memory. [any]
std::vector<std::int64_t> resident_kilobytes(const std::filesystem::path& folder,
                                             std::span<const std::string> files);

}  // namespace ptp::engine

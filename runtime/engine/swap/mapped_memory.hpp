// The resident memory of loaded libraries.

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ptp::engine {

// Returns the resident part of each library of `folder`, in KiB; 0 for a file that is not loaded.
// It gets the libraries' addresses from the loader and their resident pages from the system
// (mincore(2)), in microseconds for each library. The texts of /proc/self/smaps list the whole
// process, and reading them blocks all threads that map memory. [any]
std::vector<std::int64_t> resident_kilobytes(const std::filesystem::path& folder,
                                             std::span<const std::string> files);

}  // namespace ptp::engine

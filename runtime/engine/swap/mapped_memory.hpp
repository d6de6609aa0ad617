// How much memory the image of a loaded library takes.

#pragma once

#include <cstdint>
#include <filesystem>

namespace ptp::engine {

// The resident part of all mappings of the file in this process, in KiB (the Rss of
// /proc/self/smaps, proc(5)); 0 for a file that is not mapped.
std::int64_t mapped_kilobytes(const std::filesystem::path& file);

}  // namespace ptp::engine

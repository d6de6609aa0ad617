// Files of an archive: zip, or tar with gzip.

#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace ptp::fetch {

// The place of each wanted file, by its name in the archive.
using Members = std::map<std::string, std::filesystem::path>;

// Unpacks these alone; each is there whole or not at all. Throws RunError.
void unpack(const std::filesystem::path& archive, const Members& members);

}  // namespace ptp::fetch

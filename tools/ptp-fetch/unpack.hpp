// Files of an archive: zip, or tar with gzip.

#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace ptp::fetch {

// Where each file of the archive goes that is wanted, by its name there.
using Members = std::map<std::string, std::filesystem::path>;

// Unpacks these alone; each is there whole or not at all. Throws RunError.
void unpack(const std::filesystem::path& archive, const Members& members);

}  // namespace ptp::fetch

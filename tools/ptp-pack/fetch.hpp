// Fetches files of repositories, which are folders or addresses.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::pack {

// Returns whether the location is an address, http:// or https:// in any case, rather than a
// folder.
bool is_address(std::string_view location);

// Returns an address with its scheme and its host in lower case and without final '/'; a folder
// unchanged.
std::string normal_location(std::string location);

// Returns the same text for all spellings of an address or folder.
std::string unique_location(const std::string& location);

// Returns "https://example.org/ptp/index.toml", or a path.
std::string location_of(const std::string& repository, const std::string& file);

// The result of fetch(): a missing file is not an error.
enum class Fetched : std::uint8_t { kWhole, kMissing };

// Copies a file of at most `max_bytes` to a new file. Follows up to five redirections, from
// https:// only to https://. Throws RunError: kDataError for a larger file, kTrainingError if the
// network, the server or the disk fails.
Fetched fetch(const std::string& location, const std::filesystem::path& to,
              std::uint64_t max_bytes);

}  // namespace ptp::pack

// Files of repositories, which are folders or addresses.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::pack {

// Whether it is an address, http:// or https:// in any case, and not a folder.
bool is_address(std::string_view location);

// An address with its scheme and its host in lower case and without '/' at its end; a folder as it
// is.
std::string normal_location(std::string location);

// One text for each address or folder, however it is written.
std::string unique_location(const std::string& location);

// "https://example.org/ptp/index.toml", or a path.
std::string location_of(const std::string& repository, const std::string& file);

// Whether a file of this location is missing, which is an answer too.
enum class Fetched : std::uint8_t { kWhole, kMissing };

// Copies a file of at most `max_bytes` to a new file. Redirections are followed five times, from
// https:// to https:// alone. Throws RunError: kDataError for a larger one, kTrainingError where
// the network, the server or the disk fails.
Fetched fetch(const std::string& location, const std::filesystem::path& to,
              std::uint64_t max_bytes);

}  // namespace ptp::pack

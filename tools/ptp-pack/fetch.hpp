// Fetches files of repositories, which are folders or addresses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

// Fetches the signature of a file beside its copy `to`. Returns its path, where no file is if there
// is no signature.
std::filesystem::path fetch_signature(const std::string& location, const std::filesystem::path& to);

// Makes a folder and those around it. Throws RunError with kTrainingError.
void make_folder(const std::filesystem::path& folder);

// Returns the files of a folder whose names end so, in order. Throws RunError.
std::vector<std::filesystem::path> files_ending_with(const std::filesystem::path& folder,
                                                     std::string_view ending);

struct Folders {
    std::filesystem::path user_config;      // XDG_CONFIG_HOME/ptp, or HOME/.config/ptp
    std::filesystem::path system_config;    // /etc/ptp
    std::filesystem::path state;            // XDG_STATE_HOME/ptp, or HOME/.local/state/ptp
    std::filesystem::path user_packages;    // searched by ptprun: plugin/search_path.hpp
    std::filesystem::path system_packages;  // searched too
};

// Returns the folders for the environment of this process; an unknown path is empty. [main]
Folders folders_here();

// Returns `name` below this folder; empty if the folder is empty, so that no file of the current
// folder is mistaken for the user's.
std::filesystem::path below(const std::filesystem::path& folder, const std::filesystem::path& name);

// Returns whether nothing has this name. A dangling link and an inaccessible path exist: reading
// them reports the reason.
bool is_absent(const std::filesystem::path& path);

inline constexpr const char* kSignatureEnding = ".minisig";

// Names within each of the two configurations.
inline constexpr const char* kTrustedKeysFolder = "trusted_keys";
inline constexpr const char* kDistrustedKeysFolder = "distrusted_keys";
inline constexpr const char* kRepositoriesFile = "repositories.toml";

}  // namespace ptp::pack

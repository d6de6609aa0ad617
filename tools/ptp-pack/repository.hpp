// The repositories of a user, and their indexes, which are checked before use.
#pragma once

#include "ptp-pack/fetch.hpp"
#include "ptp-pack/manifest.hpp"
#include "ptp-pack/trusted_keys.hpp"

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

inline constexpr const char* kIndexFile = "index.toml";
inline constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{16} << 20U;

struct IndexEntry {
    About about;
    std::string file;    // name of the package's file, beside the index
    std::string sha256;  // of that file
    std::int64_t size = 0;
    std::vector<Library> libraries;

    std::vector<schema::Field> fields();
};

struct Index {
    std::string name;  // name of the repository, for people
    std::int64_t version = 0;
    std::string published;  // "2026-11-23T16:00:00Z"
    std::string expires;
    std::vector<IndexEntry> packages;
};

// Throws RunError with kDataError and all errors.
Index read_index(std::string_view text, const std::string& name);
std::string text_of(const Index& index);

// Returns a moment in UTC as "2026-11-23T16:00:00Z".
std::string utc_text(std::time_t when);

// Returns whether it is such a text; these texts are ordered as the moments are.
bool is_utc_text(std::string_view text);

struct Repository {
    std::string name;      // in the configuration; for one of the command line, its location
    std::string location;  // an address or a folder
    std::optional<PublicKey> key = {};  // if set, only this key may sign the index
};

// Returns the repositories of repositories.toml of the user and of the machine; the user's take
// precedence by name. Throws RunError with kConfigurationError.
std::vector<Repository> configured_repositories(const Folders& folders);

struct OpenRepository {
    Repository repository;
    Index index;
    std::vector<std::string> left_out = {};  // notes on packages for which its key is not trusted
};

struct OpenOptions {
    const TrustedKeys& keys;
    Unsigned unsigned_files = Unsigned::kRefused;
    bool allows_expired = false;
    std::time_t now = 0;
    std::filesystem::path state;    // folder for the number of the last index
    std::filesystem::path staging;  // an empty folder for fetched files
};

// Fetches the index, and remembers its number if a trusted key has signed it. Throws RunError with
// kDataError for an index that is missing, not signed by a key that is trusted for this repository,
// expired, older than a previous one, or different from one with the same number.
OpenRepository open_repository(const Repository& repository, const OpenOptions& options);

}  // namespace ptp::pack

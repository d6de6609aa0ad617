// The repositories of a user, and their indexes, which are checked before use.

#pragma once

#include "ptp-pack/folders.hpp"
#include "ptp-pack/index.hpp"
#include "ptp-pack/trusted_keys.hpp"

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

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

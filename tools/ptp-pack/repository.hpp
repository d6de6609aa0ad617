// Repositories: which ones a user has, and their indexes, which are checked before they are
// believed.

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
    std::string name;      // in the configuration; of one that the command line names its location
    std::string location;  // an address or a folder
    std::optional<PublicKey> key = {};  // only this one may sign the index
};

// Those of repositories.toml of the user and of the machine; of one name the user's. Throws
// RunError with kConfigurationError.
std::vector<Repository> configured_repositories(const Folders& folders);

struct OpenRepository {
    Repository repository;
    Index index;
    std::vector<std::string> left_out = {};  // notes on packages that its key is not trusted for
};

struct OpenOptions {
    const TrustedKeys& keys;
    Unsigned unsigned_files = Unsigned::kRefused;
    bool allows_expired = false;
    std::time_t now = 0;
    std::filesystem::path state;    // where the number of the last index is remembered
    std::filesystem::path staging;  // an empty folder for what is fetched
};

// Fetches the index, and remembers its number if a trusted key has signed it. Throws RunError: with
// kDataError for one that is missing, not signed by a key that is trusted for this repository,
// expired, older than one that was seen before, or other than one of the same number.
OpenRepository open_repository(const Repository& repository, const OpenOptions& options);

}  // namespace ptp::pack

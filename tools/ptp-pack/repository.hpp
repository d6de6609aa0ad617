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
inline constexpr std::uint64_t kMaxModelBytes = std::uint64_t{16} << 30U;
inline constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{16} << 20U;

struct IndexEntry {
    About about = {};
    std::string file = {};    // name of the package's file, beside the index
    std::string sha256 = {};  // of that file
    std::int64_t size = 0;
    std::vector<Library> libraries = {};

    std::vector<schema::Field> fields();
    void read(const schema::Scope& scope);
};

// A model that a repository offers; its file, NAME.ptpm, is beside the index.
struct ModelEntry {
    std::string name;
    std::string summary = {};
    std::string license = {};
    std::string author = {};
    std::string sha256 = {};  // of the file
    std::int64_t size = 0;

    [[nodiscard]] std::string file() const;
    std::vector<schema::Field> fields();
    void read(const schema::Scope& scope);
};

struct Index {
    std::int64_t format = 1;
    std::string name;  // name of the repository, for people
    std::int64_t version = 0;
    std::string published;  // "2026-11-23T16:00:00Z"
    std::string expires;
    std::vector<IndexEntry> packages = {};
    std::vector<ModelEntry> models = {};  // none of them has the name of a package

    std::vector<schema::Field> fields();
};

// Throws RunError with kDataError and all errors.
Index read_index(std::string_view text, const std::string& name);
std::string text_of(Index index);

// Throws RunError for a name that no installed model can have; `source` is its file.
void require_model_name(const std::string& name, const std::string& source);

// Throws RunError for a file that is not the one of the index.
[[noreturn]] void refuse_other_file(const std::string& source);

// Returns a moment in UTC as "2026-11-23T16:00:00Z".
std::string utc_text(std::time_t when);

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
};

// Decides what is taken from a repository, and remembers what was seen of it.
struct Access {
    TrustedKeys keys;
    Unsigned unsigned_files = Unsigned::kRefused;
    bool allows_expired = false;
    std::filesystem::path state = {};  // folder for the numbers of the last indexes
};

// Fetches the index into a folder, and remembers its number if a trusted key has signed it. Throws
// RunError with kDataError for an index that is missing, not signed by a trusted key, expired,
// older than a previous one, or different from one with the same number.
OpenRepository open_repository(const Repository& repository, const Access& access,
                               const std::filesystem::path& staging);

}  // namespace ptp::pack

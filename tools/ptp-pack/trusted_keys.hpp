// The trusted signers: the public keys in folders of the user and of the machine.
#pragma once

#include "ptp-pack/minisign.hpp"
#include "schema/fields.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

inline constexpr const char* kKeyLimitsFile = "limits.toml";

struct KeyLimits {
    std::vector<std::string> packages;      // patterns of names; empty: all packages
    std::vector<std::string> repositories;  // addresses and folders; empty: any

    std::vector<schema::Field> fields();

    [[nodiscard]] bool are_none() const { return packages.empty() && repositories.empty(); }
    [[nodiscard]] bool have_package(std::string_view name) const;

    // Returns whether the limits allow a repository, or a file in one.
    [[nodiscard]] bool have_location(const std::string& location) const;

    // Returns "the packages jane_*, my_loss from https://example.org/ptp".
    [[nodiscard]] std::string text() const;
};

// Limits by the ids of the keys.
using KeyLimitsById = std::map<std::string, KeyLimits>;

// Returns the limits in this folder; empty if it has no such file. Throws RunError with
// kConfigurationError.
KeyLimitsById read_key_limits(const std::filesystem::path& folder);
void write_key_limits(const std::filesystem::path& folder, KeyLimitsById limits);

// Returns the error in the pattern of a name, "must be ..."; "" if there is none.
std::string refuse_pattern(std::string_view pattern);

// The limits of a key in the first of these folders that has any, and that folder.
struct LimitsInFolder {
    KeyLimits limits;
    std::filesystem::path folder;
};
std::optional<LimitsInFolder> limits_in(const std::vector<std::filesystem::path>& folders,
                                        const std::string& id);

struct TrustChange {
    std::string id;
    KeyLimits asked;                             // the requested limits, which were written
    std::optional<LimitsInFolder> before;        // the previously effective limits
    std::filesystem::path folder;                // folder where they were written
    std::vector<std::filesystem::path> folders;  // effective ones; the first with the key applies
};

// Returns a line, after reading the current folders.
std::string trust_text(const TrustChange& change);

inline constexpr const char* kSignatureEnding = ".minisig";

struct TrustedKey {
    PublicKey key;
    std::filesystem::path file;
};

class TrustedKeys {
public:
    // Reads the files *.pub in these folders, except the keys in `distrusted`. Folders that do not
    // exist are empty. Reads their files limits.toml too; for a key in several, the first applies.
    // Throws RunError with kDataError for a file that is not a key.
    TrustedKeys(const std::vector<std::filesystem::path>& trusted,
                const std::vector<std::filesystem::path>& distrusted);

    [[nodiscard]] const std::vector<TrustedKey>& all() const { return trusted_; }
    [[nodiscard]] const std::vector<TrustedKey>& distrusted() const { return distrusted_; }

    // Returns nullptr if there is none.
    [[nodiscard]] const TrustedKey* find(const KeyId& id) const;
    [[nodiscard]] bool is_distrusted(const KeyId& id) const;

    // Returns nullptr if the key is not limited.
    [[nodiscard]] const KeyLimits* limits_of(const std::string& id) const;

    // Trusts another key.
    void add(const TrustedKey& key) { trusted_.push_back(key); }

private:
    std::vector<TrustedKey> trusted_;
    std::vector<TrustedKey> distrusted_;
    KeyLimitsById limits_;
};

enum class Unsigned : std::uint8_t { kRefused, kAllowed };

struct SignedBy {
    std::string key;  // its id; "": no trusted one, which was allowed
    std::string trusted_comment;
};

// A file to check, and its signature.
struct SignedFile {
    std::string shown;                // its name in messages
    FileHash hash;                    // of the content that was read, which may have changed since
    std::filesystem::path signature;  // a file that may not exist
};

// Throws RunError with kDataError for a wrong signature, for one of a distrusted key, and, unless
// that is allowed, for a missing one or one of an unknown key.
SignedBy check_signature(const SignedFile& file, const TrustedKeys& keys, Unsigned unsigned_files);

// The use for which a signature is needed.
struct SignedUse {
    std::string shown;     // the file's name in messages
    std::string location;  // its origin: a file, an address or a repository
    std::string package;   // "": an index
};

// Returns the same signature, or none if its key is not trusted for this use and that is allowed.
// Throws RunError with kDataError if it is not allowed.
SignedBy within_limits(const SignedBy& by, const SignedUse& use, const TrustedKeys& keys,
                       Unsigned unsigned_files);

}  // namespace ptp::pack

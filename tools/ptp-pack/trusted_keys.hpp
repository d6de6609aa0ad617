// The trusted signers: the public keys in folders of the user and of the machine.

#pragma once

#include "ptp-pack/key_limits.hpp"
#include "ptp-pack/minisign.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::pack {

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

// Whose signatures count: the public keys in folders of the user and of the machine.

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
    // The files *.pub in these folders, but for the keys in `distrusted`. Folders that do not exist
    // have none. Their files limits.toml are read too; of a key that several have the first counts.
    // Throws RunError with kDataError for a file that is not a key.
    TrustedKeys(const std::vector<std::filesystem::path>& trusted,
                const std::vector<std::filesystem::path>& distrusted);

    [[nodiscard]] const std::vector<TrustedKey>& all() const { return trusted_; }
    [[nodiscard]] const std::vector<TrustedKey>& distrusted() const { return distrusted_; }

    // nullptr: it is not there.
    [[nodiscard]] const TrustedKey* find(const KeyId& id) const;
    [[nodiscard]] bool is_distrusted(const KeyId& id) const;

    // nullptr: it counts for everything.
    [[nodiscard]] const KeyLimits* limits_of(const std::string& id) const;

    // This one too.
    void add(const TrustedKey& key) { trusted_.push_back(key); }

private:
    std::vector<TrustedKey> trusted_;
    std::vector<TrustedKey> distrusted_;
    KeyLimitsById limits_;
};

enum class Unsigned : std::uint8_t { kRefused, kAllowed };

struct SignedBy {
    std::string key;  // its id; "": by no trusted one, which was allowed
    std::string trusted_comment;
};

// What is checked, and where its signature is.
struct SignedFile {
    std::string shown;                // its name in messages
    FileHash hash;                    // of what was read, which need not be what lies there now
    std::filesystem::path signature;  // a file that may not exist
};

// Throws RunError with kDataError for a wrong signature, for one of a distrusted key, and for one
// that is missing, or of an unknown key, unless that is allowed.
SignedBy check_signature(const SignedFile& file, const TrustedKeys& keys, Unsigned unsigned_files);

// What a signature is needed for.
struct SignedUse {
    std::string shown;     // the file's name in messages
    std::string location;  // where it is from: a file, an address or a repository
    std::string package;   // "": an index
};

// The same signature, or none where its key is not trusted for this and that is allowed. Throws
// RunError with kDataError where it is not allowed.
SignedBy within_limits(const SignedBy& by, const SignedUse& use, const TrustedKeys& keys,
                       Unsigned unsigned_files);

}  // namespace ptp::pack

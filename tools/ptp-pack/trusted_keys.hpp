// The trusted signers: the public keys in folders of the user and of the machine.
#pragma once

#include "ptp-pack/fetch.hpp"
#include "ptp-pack/minisign.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::pack {

struct TrustedKey {
    PublicKey key;
    std::filesystem::path file;
};

class TrustedKeys {
public:
    // Reads the files *.pub in these folders, except the keys in `distrusted`. Folders that do not
    // exist are empty. Throws RunError: kDataError for a file that is not a key,
    // kConfigurationError for a folder with limits of earlier versions, which would not count.
    TrustedKeys(const std::vector<std::filesystem::path>& trusted,
                const std::vector<std::filesystem::path>& distrusted);

    [[nodiscard]] const std::vector<TrustedKey>& all() const { return trusted_; }
    [[nodiscard]] const std::vector<TrustedKey>& distrusted() const { return distrusted_; }

    [[nodiscard]] bool is_distrusted(const KeyId& id) const {
        return std::ranges::any_of(distrusted_,
                                   [&](const TrustedKey& one) { return one.key.id == id; });
    }

    // Trusts another key.
    void add(const TrustedKey& key) { trusted_.push_back(key); }

private:
    std::vector<TrustedKey> trusted_;
    std::vector<TrustedKey> distrusted_;
};

// kNever: there is no option to allow it.
enum class Unsigned : std::uint8_t { kNever, kRefused, kAllowed };

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

}  // namespace ptp::pack

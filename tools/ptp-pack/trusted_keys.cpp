#include "ptp-pack/trusted_keys.hpp"

#include "base/output_file.hpp"
#include "ptp-pack/folders.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// Returns the keys sorted by file.
std::vector<TrustedKey> keys_in(const std::vector<fs::path>& folders) {
    std::vector<TrustedKey> keys;
    for (const fs::path& folder : folders) {
        if (folder.empty() || is_absent(folder)) {
            continue;
        }
        std::vector<fs::path> files;
        for (const fs::directory_entry& entry : entries_of(folder)) {
            if (entry.path().extension() == ".pub") {
                files.push_back(entry.path());
            }
        }
        std::ranges::sort(files);
        for (const fs::path& file : files) {
            keys.push_back({read_public_key(read_text(file), file.string()), file});
        }
    }
    return keys;
}

bool has_id(const TrustedKey& trusted, const KeyId& id) {
    return trusted.key.id == id;
}

}  // namespace

TrustedKeys::TrustedKeys(const std::vector<fs::path>& trusted,
                         const std::vector<fs::path>& distrusted)
    : trusted_(keys_in(trusted)), distrusted_(keys_in(distrusted)) {
    std::erase_if(trusted_, [&](const TrustedKey& one) { return is_distrusted(one.key.id); });
    for (const fs::path& folder : trusted) {
        limits_.merge(read_key_limits(folder));
    }
}

const TrustedKey* TrustedKeys::find(const KeyId& id) const {
    const auto found =
        std::ranges::find_if(trusted_, [&](const TrustedKey& one) { return has_id(one, id); });
    return found == trusted_.end() ? nullptr : &*found;
}

bool TrustedKeys::is_distrusted(const KeyId& id) const {
    return std::ranges::any_of(distrusted_, [&](const TrustedKey& one) { return has_id(one, id); });
}

const KeyLimits* TrustedKeys::limits_of(const std::string& id) const {
    const auto found = limits_.find(id);
    return found == limits_.end() ? nullptr : &found->second;
}

SignedBy check_signature(const SignedFile& file, const TrustedKeys& keys, Unsigned unsigned_files) {
    if (is_absent(file.signature)) {
        if (unsigned_files == Unsigned::kAllowed) {
            return {};
        }
        refuse(kDataError,
               {fmt::format("{}: is not signed: there is no {}{}", file.shown,
                            fs::path(file.shown).filename().string(), kSignatureEnding),
                "ask its author to sign it (ptp-pack sign); --allow-unsigned takes it as it is"});
    }
    const Signature signature =
        read_signature(read_text(file.signature), file.shown + kSignatureEnding);
    const std::string id = id_text(signature.id);
    if (keys.is_distrusted(signature.id)) {
        refuse(kDataError,
               {fmt::format("{}: is signed with the key {}, which is distrusted", file.shown, id),
                "ask its author for one that is signed with another key"});
    }
    // Several keys may have one id, because ids are not bound to keys.
    const TrustedKey* known = keys.find(signature.id);
    if (known == nullptr) {
        if (unsigned_files == Unsigned::kAllowed) {
            return {};
        }
        refuse(kDataError,
               {fmt::format("{}: is signed with the key {}, which is not trusted", file.shown, id),
                "compare the key with its owner's, then: ptp-pack key trust FILE.pub"});
    }
    const bool is_right = std::ranges::any_of(keys.all(), [&](const TrustedKey& one) {
        return is_signed_by(one.key, file.hash, signature);
    });
    if (!is_right) {
        refuse(kDataError,
               {fmt::format("{}: its signature is wrong: it was changed after the key {} signed it",
                            file.shown, id),
                "fetch it again, with its signature"});
    }
    return {.key = id, .trusted_comment = signature.trusted_comment};
}

SignedBy within_limits(const SignedBy& by, const SignedUse& use, const TrustedKeys& keys,
                       Unsigned unsigned_files) {
    const KeyLimits* const limits = keys.limits_of(by.key);
    if (limits == nullptr || (limits->have_location(use.location) &&
                              (use.package.empty() || limits->have_package(use.package)))) {
        return by;
    }
    if (unsigned_files == Unsigned::kAllowed) {
        return {};
    }
    refuse(
        kDataError,
        {fmt::format(
             "{}: is {}signed with the key {}, which is trusted for {} alone", use.shown,
             use.package.empty() ? "" : fmt::format("of the package '{}', and ", use.package),
             by.key, limits->text()),
         "if its owner may sign this too, trust the key again, with all that it may sign: ptp-pack "
         "key trust FILE.pub --package NAME"});
}

}  // namespace ptp::pack

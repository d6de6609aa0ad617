// Reads the trusted keys, and verifies signatures with them.

#include "ptp-pack/trusted_keys.hpp"

#include "base/output_file.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// Earlier versions trusted a key for the packages and repositories that this file names.
void refuse_limits(const fs::path& folder) {
    if (const fs::path file = folder / "limits.toml"; !is_absent(file)) {
        refuse(kConfigurationError,
               {fmt::format("{}: limits keys, which this ptp-pack does not: it trusts a key for "
                            "every package",
                            file.string()),
                "remove this file, and the keys that are not to be trusted for every package"});
    }
}

// Returns the keys sorted by file.
std::vector<TrustedKey> keys_in(const std::vector<fs::path>& folders) {
    std::vector<TrustedKey> keys;
    for (const fs::path& folder : folders) {
        if (folder.empty() || is_absent(folder)) {
            continue;
        }
        refuse_limits(folder);
        for (const fs::path& file : files_ending_with(folder, ".pub")) {
            keys.push_back({read_public_key(read_text(file), file.string()), file});
        }
    }
    return keys;
}

}  // namespace

TrustedKeys::TrustedKeys(const std::vector<fs::path>& trusted,
                         const std::vector<fs::path>& distrusted)
    : trusted_(keys_in(trusted)), distrusted_(keys_in(distrusted)) {
    std::erase_if(trusted_, [&](const TrustedKey& one) { return is_distrusted(one.key.id); });
}

SignedBy check_signature(const SignedFile& file, const TrustedKeys& keys, Unsigned unsigned_files) {
    const auto complain = [&](const std::string& what, const std::string& fix) {
        refuse(kDataError, {fmt::format("{}: {}", file.shown, what), fix});
    };
    const bool takes_unsigned = unsigned_files == Unsigned::kAllowed;
    if (is_absent(file.signature)) {
        if (takes_unsigned) {
            return {};
        }
        complain(fmt::format("is not signed: there is no {}{}",
                             fs::path(file.shown).filename().string(), kSignatureEnding),
                 unsigned_files == Unsigned::kNever
                     ? "ask its author to sign it (ptp-pack sign)"
                     : "ask its author to sign it (ptp-pack sign); --allow-unsigned takes it as it "
                       "is");
    }
    const Signature signature =
        read_signature(read_text(file.signature), file.shown + kSignatureEnding);
    const std::string id = id_text(signature.id());
    if (keys.is_distrusted(signature.id())) {
        complain(fmt::format("is signed with the key {}, which is distrusted", id),
                 "ask its author for one that is signed with another key");
    }
    // Several keys may have one id, because ids are not bound to keys.
    const auto has_id = [&](const TrustedKey& one) { return one.key.id == signature.id(); };
    const auto has_signed = [&](const TrustedKey& one) {
        return is_signed_by(one.key, file.hash, signature);
    };
    if (std::ranges::none_of(keys.all(), has_id)) {
        if (takes_unsigned) {
            return {};
        }
        complain(fmt::format("is signed with the key {}, which is not trusted", id),
                 "compare the key with its owner's, then: ptp-pack key trust FILE.pub");
    }
    if (std::ranges::none_of(keys.all(), has_signed)) {
        complain(
            fmt::format("its signature is wrong: it was changed after the key {} signed it", id),
            "fetch it again, with its signature");
    }
    return {.key = id, .trusted_comment = signature.trusted_comment};
}

}  // namespace ptp::pack

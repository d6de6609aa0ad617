// The trusted keys and their limits: who may sign which package from where.

#include "ptp-pack/trusted_keys.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKeyDigits = "0123456789ABCDEF";
constexpr std::size_t kKeyIdLength = 16;

bool is_key_id(std::string_view text) {
    return text.size() == kKeyIdLength &&
           text.find_first_not_of(kKeyDigits) == std::string_view::npos;
}

// Returns whether the name matches; '*' represents any number of letters.
bool fits_pattern(std::string_view pattern, std::string_view name) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return pattern == name;
    }
    if (!name.starts_with(pattern.substr(0, star))) {
        return false;
    }
    const std::string_view rest = pattern.substr(star + 1);
    for (std::size_t at = star; at <= name.size(); ++at) {
        if (fits_pattern(rest, name.substr(at))) {
            return true;
        }
    }
    return false;
}

KeyLimits read_limits(const schema::Scope& scope) {
    KeyLimits limits;
    schema::read_all_fields(scope, limits.fields());
    for (const std::string& pattern : limits.packages) {
        if (const std::string why = refuse_pattern(pattern); !why.empty()) {
            scope.problems.error(*scope.table.find("packages"), scope.key("packages"),
                                 fmt::format("'{}' {}", pattern, why));
        }
    }
    if (scope.table.members().empty()) {
        scope.problems.error(scope.table.place(), scope.key("packages"),
                             Explanation{"is missing, and so is repositories",
                                         "add one of them, or remove this table"});
    }
    return limits;
}

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

std::vector<schema::Field> KeyLimits::fields() {
    return {{.name = "packages",
             .into = &packages,
             .help = "names of packages, where '*' represents any letters",
             .length = "[1, inf)",
             .is_filled = true},
            {.name = "repositories",
             .into = &repositories,
             .help = "addresses and folders of repositories",
             .length = "[1, inf)",
             .is_filled = true}};
}

bool KeyLimits::have_package(std::string_view name) const {
    return packages.empty() || std::ranges::any_of(packages, [&](const std::string& pattern) {
               return fits_pattern(pattern, name);
           });
}

bool KeyLimits::have_location(const std::string& location) const {
    const std::string unique = unique_location(location);
    return repositories.empty() || std::ranges::any_of(repositories, [&](const std::string& one) {
               const std::string repository = unique_location(one);
               if (unique == repository || !unique.starts_with(repository + "/")) {
                   return unique == repository;
               }
               // A path could leave the address's folder by "..", also if percent-encoded.
               const std::string_view rest = std::string_view(unique).substr(repository.size());
               return !is_address(unique) || (rest.find("..") == std::string_view::npos &&
                                              rest.find('%') == std::string_view::npos);
           });
}

std::string KeyLimits::text() const {
    const std::string named =
        packages.empty() ? "packages" : "the packages " + join(packages, ", ");
    return repositories.empty() ? named : named + " from " + join(repositories, ", ");
}

KeyLimitsById read_key_limits(const fs::path& folder) {
    KeyLimitsById all;
    const fs::path file = folder / kKeyLimitsFile;
    // A dangling link is an error below: otherwise the limits would not apply.
    if (folder.empty() || is_absent(file)) {
        return all;
    }
    Diagnostics problems;
    if (const auto root = read_toml(read_text(file), file.string(), problems)) {
        const schema::ReadOptions unused;
        const schema::Scope scope{*root, "", unused, problems};
        for (const Member& member : root->members()) {
            if (!is_key_id(member.key) || !member.value.is_table()) {
                problems.error(member.value, member.key,
                               "must be a table with the id of a key, 16 hexadecimal digits");
                continue;
            }
            all.emplace(member.key, read_limits(scope.at(member.value, member.key)));
        }
    }
    if (!problems.ok()) {
        throw RunError(kConfigurationError, problems.text());
    }
    return all;
}

void write_key_limits(const fs::path& folder, KeyLimitsById limits) {
    Value root = Value::table();
    for (auto& [id, one] : limits) {
        Value table = Value::table();
        for (const auto& [name, items] :
             {std::pair("packages", &one.packages), std::pair("repositories", &one.repositories)}) {
            if (!items->empty()) {
                std::vector<Value> list;
                for (const std::string& item : *items) {
                    list.emplace_back(item);
                }
                table.set(name, Value::list(std::move(list)));
            }
        }
        root.set(id, std::move(table));
    }
    replace_file(folder / kKeyLimitsFile, to_toml(root));
}

std::string refuse_pattern(std::string_view pattern) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_*";
    const bool is_right =
        !pattern.empty() && pattern.find_first_not_of(kAllowed) == std::string_view::npos;
    return is_right ? ""
                    : "must be the name of a package, lower-case letters, digits and '_', where "
                      "'*' is any letters";
}

std::optional<LimitsInFolder> limits_in(const std::vector<fs::path>& folders,
                                        const std::string& id) {
    for (const fs::path& folder : folders) {
        KeyLimitsById all = read_key_limits(folder);
        if (const auto found = all.find(id); found != all.end()) {
            return LimitsInFolder{std::move(found->second), folder};
        }
    }
    return std::nullopt;
}

std::string trust_text(const TrustChange& change) {
    const std::optional<LimitsInFolder> now = limits_in(change.folders, change.id);
    if (!now) {
        return change.before
                   ? fmt::format("trusted: {}, for every package; until now for {} alone\n",
                                 change.id, change.before->limits.text())
                   : fmt::format("trusted: {}\n", change.id);
    }
    const std::string text = now->limits.text();
    const std::string file = (now->folder / kKeyLimitsFile).string();
    if (now->folder == change.folder) {
        return fmt::format("trusted: {}, for {} alone\n", change.id, text);
    }
    // The limits were written to another folder than the effective one.
    if (change.asked.are_none() && change.folder == change.folders.front()) {
        return fmt::format(
            "trusted: {}, for {} alone, because {} limits it; --package '*' is for every package\n",
            change.id, text, file);
    }
    return fmt::format(
        "trusted: {}, for {}; for this user for {} alone, because {} limits it\n", change.id,
        change.asked.are_none() ? "every package" : change.asked.text() + " alone", text, file);
}

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

// Opens a repository: checks the signature, the number and the expiry of its index.

#include "ptp-pack/repository.hpp"

#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// The remembered facts about an index.
struct SeenIndex {
    std::string location;
    std::int64_t version = 0;
    std::string sha256;

    std::vector<schema::Field> fields() {
        return {{.name = "location", .into = &location, .is_required = true},
                {.name = "version", .into = &version, .is_required = true},
                {.name = "sha256", .into = &sha256, .is_required = true}};
    }
};

Repository read_configured(const schema::Scope& scope, const Member& member) {
    Repository repository{.name = member.key, .location = {}};
    std::string key;
    schema::read_all_fields(
        scope,
        {{.name = "url", .into = &repository.location, .is_filled = true, .is_required = true},
         {.name = "key", .into = &key}});
    repository.location = normal_location(repository.location);
    if (!key.empty()) {
        try {
            repository.key = read_public_key(key, scope.key("key"));
        } catch (const RunError& error) {
            scope.problems.error(*scope.table.find("key"), scope.key("key"), error.what());
        }
    }
    return repository;
}

void read_configuration(const fs::path& file, std::vector<Repository>& all) {
    if (file.empty() || is_absent(file)) {
        return;
    }
    Diagnostics problems;
    const schema::ReadOptions unused;
    if (const auto root = read_toml(read_text(file), file.string(), problems)) {
        const schema::Scope scope{*root, "", unused, problems};
        schema::Map<schema::RawTable> tables;
        schema::read_all_fields(scope, {{.name = "repositories", .into = &tables}});
        const Value* table = root->find("repositories");
        for (const Member& member :
             table != nullptr && table->is_table() ? table->members() : std::vector<Member>()) {
            const bool is_known =
                std::ranges::find(all, member.key, &Repository::name) != all.end();
            if (member.value.is_table() && !is_known) {
                all.push_back(read_configured(
                    scope.at(*table, "repositories").at(member.value, member.key), member));
            }
        }
    }
    if (!problems.ok()) {
        throw RunError(kConfigurationError, problems.text());
    }
}

fs::path seen_file(const fs::path& state, const std::string& location) {
    return state / "repositories" / (sha256(location) + ".toml");
}

std::optional<SeenIndex> seen_before(const fs::path& file) {
    if (is_absent(file)) {
        return std::nullopt;
    }
    SeenIndex seen;
    Diagnostics problems;
    if (const auto root = read_toml(read_text(file), file.string(), problems)) {
        const schema::ReadOptions unused;
        schema::read_all_fields({*root, "", unused, problems}, seen.fields());
    }
    if (!problems.ok()) {
        refuse(kDataError, {problems.text(),
                            "remove this file; ptp-pack then trusts the next index of any number"});
    }
    return seen;
}

// The names of files in messages.
struct Shown {
    std::string index;
    fs::path seen;
};

void check_against_seen(const Index& index, const std::string& hash, const SeenIndex& seen,
                        const Shown& names) {
    if (index.version < seen.version) {
        refuse(kDataError,
               {fmt::format("{}: is index {}, an older one than index {}, which was seen before",
                            names.index, index.version, seen.version),
                fmt::format("ask who publishes it; somebody may be offering outdated packages. If "
                            "it begins anew, remove {}",
                            names.seen.string())});
    }
    if (index.version == seen.version && hash != seen.sha256) {
        refuse(kDataError, {fmt::format("{}: is another index {} than the one that was seen before",
                                        names.index, index.version),
                            "ask who publishes it to publish again"});
    }
}

void remember(const fs::path& file, SeenIndex seen) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) {
        refuse(kTrainingError,
               {fmt::format("cannot make {}: {}", file.parent_path().string(), error.message())});
    }
    replace_file(file, to_toml(schema::write_fields(seen.fields())));
}

SignedBy check_signer(const Repository& repository, const SignedFile& file,
                      const OpenOptions& options) {
    const Unsigned strictness = repository.key ? Unsigned::kRefused : options.unsigned_files;
    const auto limited = [&](const SignedBy& by) {
        return within_limits(by, {file.shown, repository.location, ""}, options.keys, strictness);
    };
    if (!repository.key) {
        return limited(check_signature(file, options.keys, strictness));
    }
    TrustedKeys only({}, {});
    if (!options.keys.is_distrusted(repository.key->id)) {
        only.add({*repository.key, {}});
    }
    return limited(check_signature(file, only, strictness));
}

// Rejects an address of another kind, which would be treated as a missing folder.
void require_known_kind(const std::string& location) {
    constexpr std::string_view kMark = "://";
    const std::size_t end = location.find(kMark);
    if (end == std::string::npos || end == 0 || is_address(location) || location.find('/') < end) {
        return;
    }
    refuse(kConfigurationError, {fmt::format("{}: is an address of an unknown kind, {}", location,
                                             location.substr(0, end + kMark.size())),
                                 "name a folder, or an address that begins with https://"});
}

// Removes packages for which the key is not trusted, so that it cannot keep them from being found
// in other repositories.
void leave_out_others(OpenRepository& opened, const SignedBy& by, const TrustedKeys& keys) {
    const KeyLimits* limits = keys.limits_of(by.key);
    if (limits == nullptr) {
        return;
    }
    std::set<std::string> names;
    std::erase_if(opened.index.packages, [&](const IndexEntry& entry) {
        const bool is_other = !limits->have_package(entry.about.name);
        if (is_other) {
            names.insert(entry.about.name);
        }
        return is_other;
    });
    for (const std::string& name : names) {
        opened.left_out.push_back(fmt::format(
            "{}: '{}' is left out: the key {}, which signed the index, is trusted for {} alone",
            location_of(opened.repository.location, kIndexFile), name, by.key, limits->text()));
    }
}

}  // namespace

std::vector<Repository> configured_repositories(const Folders& folders) {
    std::vector<Repository> all;
    read_configuration(below(folders.user_config, kRepositoriesFile), all);
    read_configuration(below(folders.system_config, kRepositoriesFile), all);
    return all;
}

OpenRepository open_repository(const Repository& repository, const OpenOptions& options) {
    if (options.state.empty()) {
        refuse(kConfigurationError,
               {"there is no folder to remember the numbers of indexes: HOME is not set",
                "set HOME or XDG_STATE_HOME to an absolute path"});
    }
    require_known_kind(repository.location);
    const std::string shown = location_of(repository.location, kIndexFile);
    const fs::path file = options.staging / kIndexFile;
    const fs::path signature = file.string() + kSignatureEnding;
    std::error_code error;
    fs::remove(file, error);
    fs::remove(signature, error);
    if (fetch(shown, file, kMaxIndexBytes) == Fetched::kMissing) {
        refuse(kDataError, {fmt::format("{}: there is no such index", shown),
                            "name the folder or the address that ptp-pack publish has written to"});
    }
    if (fetch(shown + kSignatureEnding, signature, kMaxIndexBytes) == Fetched::kMissing) {
        fs::remove(signature, error);
    }
    const std::string text = read_text(file);
    const SignedBy by = check_signer(repository, {shown, hash_of_text(text), signature}, options);
    OpenRepository opened{repository, read_index(text, shown)};
    leave_out_others(opened, by, options.keys);
    if (opened.index.expires < utc_text(options.now) && !options.allows_expired) {
        refuse(kDataError, {fmt::format("{}: has expired on {}", shown, opened.index.expires),
                            "ask who publishes it to publish again; --allow-expired takes it"});
    }
    const std::string location = unique_location(repository.location);
    const fs::path seen = seen_file(options.state, location);
    const std::string hash = sha256(text);
    if (const auto before = seen_before(seen)) {
        check_against_seen(opened.index, hash, *before, {shown, seen});
        if (before->version == opened.index.version) {
            return opened;
        }
    }
    if (by.key.empty()) {
        return opened;  // its number could be anyone's
    }
    remember(seen, {location, opened.index.version, hash});
    return opened;
}

}  // namespace ptp::pack

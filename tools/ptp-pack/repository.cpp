// Opens a repository: checks the signature, the number and the expiry of its index.

#include "ptp-pack/repository.hpp"

#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/toml_writer.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
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

Repository read_configured(const schema::Scope& scope, const std::string& name,
                           const Value& table) {
    const schema::Scope inside{table, "repositories." + name, scope.options, scope.problems};
    Repository repository{.name = name, .location = {}};
    std::string key;
    schema::read_all_fields(
        inside,
        {{.name = "url", .into = &repository.location, .is_filled = true, .is_required = true},
         {.name = "key", .into = &key}});
    repository.location = normal_location(repository.location);
    if (!key.empty()) {
        try {
            repository.key = read_public_key(key, inside.key("key"));
        } catch (const RunError& error) {
            scope.problems.error(*table.find("key"), inside.key("key"), error.what());
        }
    }
    return repository;
}

void read_configuration(const fs::path& file, std::vector<Repository>& all) {
    if (file.empty() || is_absent(file)) {
        return;
    }
    read_document(read_text(file), file.string(), kConfigurationError,
                  [&](const schema::Scope& scope) {
                      schema::Map<schema::RawTable> tables;
                      schema::read_all_fields(scope, {{.name = "repositories", .into = &tables}});
                      for (const auto& [name, name_place, table, place] : tables) {
                          if (std::ranges::find(all, name, &Repository::name) == all.end()) {
                              all.push_back(read_configured(scope, name, *table.table));
                          }
                      }
                  });
}

std::optional<SeenIndex> seen_before(const fs::path& file) {
    if (is_absent(file)) {
        return std::nullopt;
    }
    SeenIndex seen;
    const std::string text = read_text(file);
    try {
        read_document(text, file.string(), kDataError, [&](const schema::Scope& scope) {
            schema::read_all_fields(scope, seen.fields());
        });
    } catch (const RunError& error) {
        refuse(kDataError, {error.what(),
                            "remove this file; ptp-pack then trusts the next index of any number"});
    }
    return seen;
}

// Compares an index with the last one that was seen; `shown` is its name in messages.
void check_against(const fs::path& file, const SeenIndex& seen, const SeenIndex& index,
                   const std::string& shown) {
    if (index.version < seen.version) {
        refuse(kDataError,
               {fmt::format("{}: is index {}, an older one than index {}, which was seen before",
                            shown, index.version, seen.version),
                fmt::format("ask who publishes it; somebody may be offering outdated packages. If "
                            "it begins anew, remove {}",
                            file.string())});
    }
    if (index.version == seen.version && index.sha256 != seen.sha256) {
        refuse(kDataError, {fmt::format("{}: is another index {} than the one that was seen before",
                                        shown, index.version),
                            "ask who publishes it to publish again"});
    }
}

SignedBy check_signer(const Repository& repository, const SignedFile& file, const Access& access) {
    if (!repository.key) {
        return check_signature(file, access.keys, access.unsigned_files);
    }
    TrustedKeys only({}, {});
    if (!access.keys.is_distrusted(repository.key->id)) {
        only.add({*repository.key, {}});
    }
    return check_signature(file, only, Unsigned::kRefused);
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

}  // namespace

std::vector<Repository> configured_repositories(const Folders& folders) {
    std::vector<Repository> all;
    read_configuration(below(folders.user_config, kRepositoriesFile), all);
    read_configuration(below(folders.system_config, kRepositoriesFile), all);
    return all;
}

OpenRepository open_repository(const Repository& repository, const Access& access,
                               const fs::path& staging) {
    if (access.state.empty()) {
        refuse(kConfigurationError,
               {"there is no folder to remember the numbers of indexes: HOME is not set",
                "set HOME or XDG_STATE_HOME to an absolute path"});
    }
    require_known_kind(repository.location);
    const std::string shown = location_of(repository.location, kIndexFile);
    const fs::path file = staging / kIndexFile;
    std::error_code error;
    fs::remove(file, error);
    if (fetch(shown, file, kMaxIndexBytes) == Fetched::kMissing) {
        refuse(kDataError, {fmt::format("{}: there is no such index", shown),
                            "name the folder or the address that ptp-pack publish has written to"});
    }
    const std::string text = read_text(file);
    const SignedBy by =
        check_signer(repository, {shown, hash_of_text(text), fetch_signature(shown, file)}, access);
    OpenRepository opened{repository, read_index(text, shown)};
    if (opened.index.expires < utc_text(std::time(nullptr)) && !access.allows_expired) {
        refuse(kDataError, {fmt::format("{}: has expired on {}", shown, opened.index.expires),
                            "ask who publishes it to publish again; --allow-expired takes it"});
    }
    const std::string location = unique_location(repository.location);
    const fs::path seen_file = access.state / "repositories" / (sha256(location) + ".toml");
    SeenIndex index{location, opened.index.version, sha256(text)};
    const auto seen = seen_before(seen_file);
    if (seen) {
        check_against(seen_file, *seen, index, shown);
    }
    // The number of an index without a signature could be anyone's.
    if (!by.key.empty() && (!seen || seen->version != index.version)) {
        make_folder(seen_file.parent_path());
        replace_file(seen_file, to_toml(schema::write_fields(index.fields())));
    }
    return opened;
}

}  // namespace ptp::pack

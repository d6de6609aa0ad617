#include "ptp-pack/common_options.hpp"

#include "base/output_file.hpp"
#include "base/suggest.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/password.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

std::vector<Repository> chosen_repositories(const Given& given, const Folders& folders) {
    if (!given.has("repository")) {
        return configured_repositories(folders);
    }
    std::vector<Repository> repositories = configured_repositories(folders);
    std::vector<Repository> chosen;
    for (const std::string& location : given.texts("repository")) {
        auto found = std::ranges::find(repositories, location, &Repository::name);
        if (found == repositories.end()) {
            found = std::ranges::find_if(repositories, [&](const Repository& one) {
                return unique_location(one.location) == unique_location(location);
            });
        }
        chosen.push_back(
            found != repositories.end() ? *found : Repository{location, normal_location(location)});
    }
    return chosen;
}

}  // namespace

std::vector<Option> store_options() {
    return {{.name = "system",
             .help = "the packages of this machine, for all users",
             .excludes = {"into"}},
            {.name = "into",
             .value = "FOLDER",
             .help = "the packages of this folder, which ptprun searches with --plugins "
                     "FOLDER/packages/NAME/plugins",
             .completions = {tools::kFolders}}};
}

Store chosen_store(const Given& given, const Folders& folders) {
    if (given.has("into")) {
        return Store(fs::absolute(given.text("into")).lexically_normal() / "packages");
    }
    return Store(given.has("system") ? folders.system_packages : folders.user_packages);
}

void refuse_not_installed(const std::string& name, const std::vector<InstalledPackage>& installed) {
    std::vector<std::string> known;
    for (const InstalledPackage& package : installed) {
        known.push_back(package.name);
    }
    refuse(kPluginError, {fmt::format("no package '{}' is installed{}", name,
                                      hint(name, known, "ptp-pack list lists all"))});
}

std::vector<Option> trust_options() {
    return {{.name = "keys",
             .value = "FOLDER",
             .help = "trust the keys in this folder, NAME.pub, and no others",
             .completions = {tools::kFolders}},
            {.name = "allow-unsigned",
             .help = "take what is not signed, or signed with a key that is not trusted"}};
}

TrustedKeys chosen_keys(const Given& given, const Folders& folders) {
    const std::vector<fs::path> distrusted = {below(folders.user_config, kDistrustedKeysFolder),
                                              below(folders.system_config, kDistrustedKeysFolder)};
    if (!given.has("keys")) {
        return {{below(folders.user_config, kTrustedKeysFolder),
                 below(folders.system_config, kTrustedKeysFolder)},
                distrusted};
    }
    const fs::path folder = given.text("keys");
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        throw UsageError(fmt::format("--keys {}: is not a folder", folder.string()));
    }
    return {{folder}, distrusted};
}

Unsigned chosen_strictness(const Given& given) {
    return given.has("allow-unsigned") ? Unsigned::kAllowed : Unsigned::kRefused;
}

std::vector<Option> repository_options() {
    return {{.name = "repository",
             .value = "LOCATION",
             .help = "look in this folder, at this address, or in the repository of this name, and "
                     "in no others; may be repeated. One that repositories.toml has keeps its key",
             .completions = {tools::kFolders},
             .is_repeatable = true},
            {.name = "allow-expired", .help = "take an index that has expired"}};
}

std::vector<OpenRepository> open_repositories(const RepositoryAccess& access) {
    std::vector<OpenRepository> opened;
    for (const Repository& repository : chosen_repositories(access.given, access.folders)) {
        opened.push_back(
            open_repository(repository, {.keys = access.keys,
                                         .unsigned_files = chosen_strictness(access.given),
                                         .allows_expired = access.given.has("allow-expired"),
                                         .now = std::time(nullptr),
                                         .state = access.folders.state,
                                         .staging = access.staging}));
        for (const std::string& note : opened.back().left_out) {
            fmt::print(stderr, "{}: note: {}\n", kProgramName, note);
        }
    }
    return opened;
}

std::vector<fs::path> plugin_folders() {
    return plugin::search_folders(plugin::search_path_here({}));
}

std::vector<Option> secret_key_options() {
    return {
        {.name = "key",
         .value = "FILE",
         .help = "the secret key to sign with",
         .completions = {tools::kFiles},
         .is_required = true},
        {.name = "password-file",
         .value = "FILE",
         .help = "the password of the secret key is the first line of this file; without it the "
                 "terminal asks",
         .completions = {tools::kFiles}}};
}

SecretKey chosen_secret_key(const Given& given) {
    const std::string file = given.text("key");
    return read_secret_key(read_text(file), file, [&] {
        return given.has("password-file") ? password_from_file(given.text("password-file"))
                                          : password_from_terminal(file);
    });
}

std::string signed_text(const std::string& key_id) {
    return key_id.empty() ? "unsigned" : "with the key " + key_id;
}

}  // namespace ptp::pack

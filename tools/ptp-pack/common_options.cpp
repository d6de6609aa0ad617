// Options that several commands have, the objects that they select, and passwords of keys.

#include "ptp-pack/common_options.hpp"

#include "base/descriptor.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace ptp::pack {

namespace {

// Returns the text typed at the terminal of this process, without echo. Throws RunError with
// kConfigurationError if there is no terminal. [main]
std::string password_from_terminal(const std::string& key) {
    if (!Descriptor(open("/dev/tty", O_RDWR | O_CLOEXEC)).is_open()) {
        refuse(kConfigurationError,
               {fmt::format("{}: has a password, and there is no terminal to ask for it", key),
                "write the password into a file: --password-file FILE"});
    }
    char* const typed = getpass(fmt::format("password of {}: ", key).c_str());
    const std::string password = typed == nullptr ? "" : typed;
    if (typed != nullptr) {
        std::fill_n(typed, password.size(), '\0');
    }
    return password;
}

namespace fs = std::filesystem;

// Returns a repository by its name or location, with its key if it is configured.
Repository repository_at(const std::string& location, const std::vector<Repository>& configured) {
    const auto found = std::ranges::find_if(configured, [&](const Repository& one) {
        return one.name == location || unique_location(one.location) == unique_location(location);
    });
    return found != configured.end() ? *found : Repository{location, normal_location(location)};
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

Store chosen_store(const Given& given) {
    const Folders folders = folders_here();
    if (given.has("into")) {
        return Store(fs::absolute(given.text("into")).lexically_normal() / "packages");
    }
    return Store(given.has("system") ? folders.system_packages : folders.user_packages);
}

void refuse_not_installed(const std::string& name, const std::vector<InstalledPackage>& installed) {
    const std::vector<std::string> known = transformed(installed, &InstalledPackage::name);
    refuse(kPluginError, {fmt::format("no package '{}' is installed{}", name,
                                      hint(name, known, "ptp-pack list lists all"))});
}

Option keys_option() {
    return {.name = "keys",
            .value = "FOLDER",
            .help = "trust the keys in this folder, NAME.pub, and no others",
            .completions = {tools::kFolders}};
}

std::vector<Option> trust_options() {
    return {keys_option(),
            {.name = "allow-unsigned",
             .help = "take what is not signed, or signed with a key that is not trusted"}};
}

TrustedKeys chosen_keys(const Given& given) {
    const Folders folders = folders_here();
    std::vector<fs::path> trusted = {below(folders.user_config, kTrustedKeysFolder),
                                     below(folders.system_config, kTrustedKeysFolder)};
    if (given.has("keys")) {
        trusted = {given.text("keys")};
        std::error_code error;
        if (!fs::is_directory(trusted.front(), error)) {
            throw UsageError(fmt::format("--keys {}: is not a folder", given.text("keys")));
        }
    }
    return {trusted,
            {below(folders.user_config, kDistrustedKeysFolder),
             below(folders.system_config, kDistrustedKeysFolder)}};
}

Unsigned chosen_strictness(const Given& given) {
    return given.has("allow-unsigned") ? Unsigned::kAllowed : Unsigned::kRefused;
}

std::vector<Option> source_options() {
    return tools::concat(
        {store_options(),
         {{.name = "repository",
           .value = "LOCATION",
           .help = "look in this folder, at this address, or in the repository of this name, and "
                   "in no others; may be repeated. One that repositories.toml has keeps its key",
           .completions = {tools::kFolders},
           .is_repeatable = true},
          {.name = "allow-expired", .help = "take an index that has expired"}},
         trust_options()});
}

Sources::Sources(const Given& given)
    : Access{.keys = chosen_keys(given),
             .unsigned_files = chosen_strictness(given),
             .allows_expired = given.has("allow-expired"),
             .state = folders_here().state},
      store(chosen_store(given)),
      locations(given.texts("repository")) {}

std::vector<OpenRepository> Sources::open_repositories(const fs::path& staging) const {
    std::vector<Repository> chosen = configured_repositories(folders_here());
    if (!locations.empty()) {
        std::vector<Repository> named;
        for (const std::string& location : locations) {
            named.push_back(repository_at(location, chosen));
        }
        chosen = std::move(named);
    }
    return transformed(chosen, [&](const Repository& repository) {
        return open_repository(repository, *this, staging);
    });
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

std::string password_from_file(const std::string& file) {
    const std::string text = read_text(file);
    const std::string line = text.substr(0, text.find('\n'));
    if (line.empty()) {
        refuse(kConfigurationError,
               {fmt::format("{}: its first line, the password, is empty", file)});
    }
    return line;
}

SecretKey chosen_secret_key(const Given& given) {
    const std::string file = given.text("key");
    if (is_absent(file)) {
        const std::string made = file + ".key";  // by ptp-pack key new FILE
        const std::string name = file.ends_with(".key") ? file.substr(0, file.size() - 4) : file;
        refuse(kDataError, {fmt::format("{}: there is no such secret key", file),
                            is_absent(made) ? fmt::format("ptp-pack key new {}", shell_word(name))
                                            : fmt::format("--key {}", shell_word(made))});
    }
    return read_secret_key(read_text(file), file, [&] {
        return given.has("password-file") ? password_from_file(given.text("password-file"))
                                          : password_from_terminal(file);
    });
}

std::string signed_text(const std::string& key_id) {
    return key_id.empty() ? "unsigned" : "with the key " + key_id;
}

}  // namespace ptp::pack

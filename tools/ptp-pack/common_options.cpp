// Options that several commands have, the objects that they select, and passwords of keys.

#include "ptp-pack/common_options.hpp"

#include "base/descriptor.hpp"
#include "base/output_file.hpp"
#include "base/suggest.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <unistd.h>

#include <termios.h>
#include <algorithm>
#include <ctime>
#include <system_error>

namespace ptp::pack {

namespace {

// Disables the terminal's echo during its lifetime.
class WithoutEcho {
public:
    explicit WithoutEcho(int terminal) : terminal_(terminal) {
        is_changed_ = tcgetattr(terminal, &before_) == 0;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        is_changed_ = is_changed_ && tcsetattr(terminal, TCSAFLUSH, &silent) == 0;
    }
    ~WithoutEcho() {
        if (is_changed_) {
            tcsetattr(terminal_, TCSAFLUSH, &before_);
        }
    }
    WithoutEcho(const WithoutEcho&) = delete;
    WithoutEcho& operator=(const WithoutEcho&) = delete;

private:
    int terminal_;
    termios before_{};
    bool is_changed_ = false;
};

void show_at(int terminal, const std::string& text) {
    if (write(terminal, text.data(), text.size()) < 0) {
        refuse(kTrainingError, {"cannot write to the terminal"});
    }
}

// Returns the text typed at the terminal of this process, without echo. Throws RunError with
// kConfigurationError if there is no terminal. [main]
std::string password_from_terminal(const std::string& key) {
    const Descriptor terminal(open("/dev/tty", O_RDWR | O_CLOEXEC));
    if (!terminal.is_open()) {
        refuse(kConfigurationError,
               {fmt::format("{}: has a password, and there is no terminal to ask for it", key),
                "write the password into a file: --password-file FILE"});
    }
    const WithoutEcho silent(terminal.get());
    show_at(terminal.get(), fmt::format("password of {}: ", key));
    std::string line;
    char letter = 0;
    while (read(terminal.get(), &letter, 1) == 1 && letter != '\n') {
        line += letter;
    }
    show_at(terminal.get(), "\n");
    return line;
}

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
    return read_secret_key(read_text(file), file, [&] {
        return given.has("password-file") ? password_from_file(given.text("password-file"))
                                          : password_from_terminal(file);
    });
}

std::string signed_text(const std::string& key_id) {
    return key_id.empty() ? "unsigned" : "with the key " + key_id;
}

}  // namespace ptp::pack

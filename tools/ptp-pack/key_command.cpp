// `ptp-pack key`: makes, trusts, distrusts and lists keys.

#include "base/output_file.hpp"
#include "base/system_file.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/refuse.hpp"
#include "ptp-pack/trusted_keys.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAnotherName = "choose another name: ptp-pack key new NAME";

// Writes both files of a pair, or neither. Only the owner can read the secret one.
void write_pair(const fs::path& secret_file, const std::string& secret, const fs::path& public_file,
                const std::string& text) {
    constexpr int kOwnerOnly = 0600;
    const int descriptor = system::create_new(secret_file, kOwnerOnly);
    if (descriptor < 0) {
        const int reason = errno;
        refuse(kTrainingError, {fmt::format("cannot write {}: {}", secret_file.string(),
                                            std::generic_category().message(reason)),
                                reason == EEXIST ? kAnotherName : ""});
    }
    try {
        OutputFile output(descriptor, secret_file);
        output.write(secret);
        output.finish();
        replace_file(public_file, text);
    } catch (...) {
        std::error_code ignored;
        fs::remove(secret_file, ignored);
        throw;
    }
}

int new_key(const Given& given, const std::string& name) {
    const fs::path secret_file = name + ".key";
    const fs::path public_file = name + ".pub";
    std::error_code error;
    if (fs::exists(fs::symlink_status(public_file, error))) {  // also a dangling link
        refuse(kConfigurationError,
               {fmt::format("{}: exists already", public_file.string()), kAnotherName});
    }
    const SecretKey key = new_secret_key();
    const std::string password =
        given.has("password-file") ? password_from_file(given.text("password-file")) : "";
    write_pair(secret_file, text_of(key, password), public_file, text_of(public_key_of(key)));
    fmt::print("{}: the secret key{}; keep it to yourself\n{}: the public key {}\n",
               secret_file.string(),
               password.empty() ? ", without a password" : ", with a password",
               public_file.string(), id_text(key.id));
    return kDone;
}

fs::path folder_of_keys(const Given& given, const char* name) {
    const Folders folders = folders_here();
    const fs::path config = given.has("system") ? folders.system_config : folders.user_config;
    if (config.empty()) {
        refuse(kConfigurationError, {"there is no folder for keys: HOME is not set",
                                     "set HOME or XDG_CONFIG_HOME to an absolute path"});
    }
    return config / name;
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        refuse(kTrainingError,
               {fmt::format("cannot make {}: {}", folder.string(), error.message())});
    }
}

void put_key(const fs::path& folder, const PublicKey& key) {
    make_folder(folder);
    replace_file(folder / (id_text(key.id) + ".pub"), text_of(key));
}

KeyLimits chosen_limits(const Given& given) {
    KeyLimits limits{.packages = given.texts("package"), .repositories = given.texts("repository")};
    for (const std::string& pattern : limits.packages) {
        if (const std::string why = refuse_pattern(pattern); !why.empty()) {
            throw UsageError(fmt::format("--package {}: {}", pattern, why));
        }
    }
    for (std::string& location : limits.repositories) {
        location = unique_location(location);
    }
    return limits;
}

// Writes the limits before the key, so that it is never trusted for more.
void put_limits(const fs::path& folder, const std::string& id, const KeyLimits& limits) {
    KeyLimitsById all = read_key_limits(folder);
    if (limits.are_none() && all.erase(id) == 0) {
        return;
    }
    if (!limits.are_none()) {
        all[id] = limits;
    }
    write_key_limits(folder, std::move(all));
}

// Returns the folders that apply to this user, whatever keys --keys has named for this command.
std::vector<fs::path> folders_of_trust() {
    const Folders folders = folders_here();
    return {below(folders.user_config, kTrustedKeysFolder),
            below(folders.system_config, kTrustedKeysFolder)};
}

int trust_key(const Given& given, const std::string& file) {
    const std::string text = read_text(file);
    const PublicKey key = read_public_key(text, file);
    const TrustedKeys keys = chosen_keys(given, folders_here());
    if (keys.is_distrusted(key.id)) {
        refuse(kDataError, {fmt::format("{}: the key {} is distrusted", file, id_text(key.id)),
                            "its owner must make a new one"});
    }
    KeyLimits limits = chosen_limits(given);
    if (given.has("signed")) {
        const SignedBy by = check_signature({file, hash_of_text(text), file + kSignatureEnding},
                                            keys, Unsigned::kRefused);
        if (const KeyLimits* const of_signer = keys.limits_of(by.key)) {
            limits = *of_signer;  // a key cannot make one that is trusted for more than itself
        }
    }
    const fs::path folder = folder_of_keys(given, kTrustedKeysFolder);
    const std::string id = id_text(key.id);
    const std::vector<fs::path> folders = folders_of_trust();
    const TrustChange change{.id = id,
                             .asked = limits,
                             .before = limits_in(folders, id),
                             .folder = folder,
                             .folders = folders};
    make_folder(folder);
    put_limits(folder, id, limits);
    put_key(folder, key);
    fmt::print("{}", trust_text(change));
    return kDone;
}

// Distrusts a key by its id, or by the file of the public key.
int distrust_key(const Given& given, const std::string& word) {
    const TrustedKeys keys = chosen_keys(given, folders_here());
    std::error_code error;
    const PublicKey* found = nullptr;
    PublicKey from_file;
    for (const TrustedKey& one : keys.all()) {
        found = id_text(one.key.id) == word ? &one.key : found;
    }
    if (found == nullptr && fs::exists(word, error)) {
        from_file = read_public_key(read_text(word), word);
        found = &from_file;
    }
    if (found == nullptr) {
        refuse(kConfigurationError,
               {fmt::format("'{}' is neither the id of a trusted key nor a file", word),
                "ptp-pack key list lists the keys"});
    }
    put_key(folder_of_keys(given, kDistrustedKeysFolder), *found);
    fmt::print("distrusted: {}\n", id_text(found->id));
    return kDone;
}

int list_keys(const Given& given) {
    const TrustedKeys keys = chosen_keys(given, folders_here());
    for (const TrustedKey& one : keys.all()) {
        fmt::print("{}  trusted     {}\n", id_text(one.key.id), one.file.string());
        if (const KeyLimits* const limits = keys.limits_of(id_text(one.key.id))) {
            fmt::print("                              for {} alone\n", limits->text());
        }
    }
    for (const TrustedKey& one : keys.distrusted()) {
        fmt::print("{}  distrusted  {}\n", id_text(one.key.id), one.file.string());
    }
    return kDone;
}

int run_key(const Given& given) {
    const Strings& words = given.operands();
    if (words.front() == "list") {
        if (words.size() > 1) {
            throw UsageError(fmt::format("'{}' is one word too many after 'list'", words[1]));
        }
        return list_keys(given);
    }
    if (words.size() < 2) {
        throw UsageError(fmt::format("key {} needs {}", words.front(),
                                     words.front() == "new" ? "a name" : "a file"));
    }
    if (words.front() == "new") {
        return new_key(given, words[1]);
    }
    return words.front() == "trust" ? trust_key(given, words[1]) : distrust_key(given, words[1]);
}

}  // namespace

Command key_command() {
    return {
        .name = "key",
        .summary = "makes, trusts and lists keys",
        .details =
            "new NAME writes NAME.key, which signs, and NAME.pub, which others need; both are\n"
            "minisign's. trust FILE.pub takes what is signed with this key from now on; with\n"
            "--signed only if a key that is trusted already has signed FILE.pub, and then for no\n"
            "more than that one. With --package and --repository its signatures count for these\n"
            "alone; trust it again, without or with others, to change that. distrust ID or\n"
            "FILE.pub takes nothing with its signature, not even with --allow-unsigned; but a file\n"
            "whose signature somebody has removed is unsigned, and --allow-unsigned takes it.\n"
            "Keys are in ~/.config/ptp/trusted_keys and /etc/ptp/trusted_keys.\n",
        .operands = {{.name = "new|trust|distrust|list",
                      .what = "an action, new, trust, distrust or list,",
                      .choices = {"new", "trust", "distrust", "list"}},
                     {.name = "KEY", .what = "a key", .min = 0, .completions = {tools::kFiles}}},
        .options = {{.name = "password-file",
                     .value = "FILE",
                     .help =
                         "for new: encrypt the secret key with the first line of this file; takes "
                         "a gigabyte of memory",
                     .completions = {tools::kFiles}},
                    {.name = "signed",
                     .help = "for trust: the key must be signed with one that is trusted",
                     .excludes = {"package", "repository"}},
                    {.name = "package",
                     .value = "NAME",
                     .help = "for trust: only its signatures of packages of this name count; "
                             "'jane_*' is a name that begins so; may be repeated",
                     .is_repeatable = true},
                    {.name = "repository",
                     .value = "LOCATION",
                     .help = "for trust: only its signatures of what lies in this folder, or at "
                             "this address, count; may be repeated",
                     .completions = {tools::kFolders},
                     .is_repeatable = true},
                    {.name = "system", .help = "the keys of this machine, for all users"},
                    {.name = "keys",
                     .value = "FOLDER",
                     .help = "trust the keys in this folder, NAME.pub, and no others",
                     .completions = {tools::kFolders}}},
        .example = "ptp-pack key new jane",
        .run = run_key};
}

}  // namespace ptp::pack

// `ptp-pack key`: makes, trusts, distrusts and lists keys.

#include "base/output_file.hpp"
#include "base/system_file.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAnotherName = "choose another name: ptp-pack key new NAME";

// Writes both files of a pair, or neither. Only the owner can read the secret one.
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
        output.write(text_of(key, password));
        output.finish();
        replace_file(public_file, text_of(public_key_of(key)));
    } catch (...) {
        fs::remove(secret_file, error);
        throw;
    }
    fmt::print("{}: the secret key, {} a password; keep it to yourself\n{}: the public key {}\n",
               secret_file.string(), password.empty() ? "without" : "with", public_file.string(),
               id_text(key.id));
    return kDone;
}

// Writes a key into a folder of the user, or of the machine.
void put_key(const Given& given, const char* name, const PublicKey& key) {
    const Folders folders = folders_here();
    const fs::path config = given.has("system") ? folders.system_config : folders.user_config;
    if (config.empty()) {
        refuse(kConfigurationError, {"there is no folder for keys: HOME is not set",
                                     "set HOME or XDG_CONFIG_HOME to an absolute path"});
    }
    const fs::path folder = config / name;
    make_folder(folder);
    replace_file(folder / (id_text(key.id) + ".pub"), text_of(key));
}

int trust_key(const Given& given, const std::string& file) {
    const std::string text = read_text(file);
    const PublicKey key = read_public_key(text, file);
    const TrustedKeys keys = chosen_keys(given);
    if (keys.is_distrusted(key.id)) {
        refuse(kDataError, {fmt::format("{}: the key {} is distrusted", file, id_text(key.id)),
                            "its owner must make a new one"});
    }
    if (given.has("signed")) {
        check_signature({file, hash_of_text(text), file + kSignatureEnding}, keys,
                        Unsigned::kRefused);
    }
    put_key(given, kTrustedKeysFolder, key);
    fmt::print("trusted: {}\n", id_text(key.id));
    return kDone;
}

// Distrusts a key by its id, or by the file of the public key.
int distrust_key(const Given& given, const std::string& word) {
    const TrustedKeys keys = chosen_keys(given);
    const auto trusted = std::ranges::find_if(
        keys.all(), [&](const TrustedKey& one) { return id_text(one.key.id) == word; });
    std::error_code error;
    if (trusted == keys.all().end() && !fs::exists(word, error)) {
        refuse(kConfigurationError,
               {fmt::format("'{}' is neither the id of a trusted key, as the list has them, nor a "
                            "file",
                            word),
                "ptp-pack key list"});
    }
    const PublicKey key =
        trusted != keys.all().end() ? trusted->key : read_public_key(read_text(word), word);
    put_key(given, kDistrustedKeysFolder, key);
    fmt::print("distrusted: {}\n", id_text(key.id));
    return kDone;
}

int list_keys(const Given& given) {
    const TrustedKeys keys = chosen_keys(given);
    for (const TrustedKey& one : keys.all()) {
        fmt::print("{}  trusted     {}\n", id_text(one.key.id), one.file.string());
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
            "--signed only if a key that is trusted already has signed FILE.pub. distrust ID or\n"
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
                     .help = "for trust: the key must be signed with one that is trusted"},
                    {.name = "system", .help = "the keys of this machine, for all users"},
                    keys_option()},
        .example = "ptp-pack key new jane",
        .run = run_key};
}

}  // namespace ptp::pack
